// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/connection/handshake_phase.hpp"

#include "base/invariant.hpp"
#include "base/probes.hpp"
#include "engine/connection/body_sharing.hpp"
#include "engine/connection/protocol_violation.hpp"
#include "engine/failure_words.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

namespace zlink::engine {

namespace {

// Reads for one report, at most: other descriptors want their turn, whatever a peer's stream has to do with its octets.
constexpr int most_turns = 8;

zmtp::local_peer describe(const session_options& options, const transport::stream& stream)
{
    zmtp::local_peer local;
    local.type = options.type;
    const auto* id = reinterpret_cast<const std::byte*>(options.routing_id.data());
    local.routing_id.assign(id, id + options.routing_id.size());
    local.app_properties = options.connection.metadata;
    if (offers_shared_bodies(options, stream)) {
        local.app_properties.emplace_back(shared_bodies_property, shared_bodies_version);
    }
    local.security = options.security;
    return local;
}

}  // namespace

handshake_phase::handshake_phase(const framing& frames, const session_options& options, const host_ref& host,
                                 const endpoint_pair& endpoints, transport::stream& stream,
                                 descriptor_interest& interest, runtime::event_loop& loop)
    : limit(loop),
      frames_(frames),
      carried_(frames.make_handshake(describe(options, stream), stream)),
      host_(host),
      endpoints_(endpoints),
      stream_(stream),
      interest_(interest),
      mechanism_(options.security ? options.security->mechanism : zmtp::mechanism_kind::null),
      as_server_(options.security && options.security->as_server),
      asks_about_certificate_(options.stream.zap_about_certificate != nullptr)
{
    invariant([this] { return carried_ != nullptr; });
}

handshake_phase::outcome handshake_phase::start() noexcept
{
    interest_.change(runtime::events::readable, 0);
    return write() ? read() : fail_lost(errc::out_of_memory);
}

handshake_phase::outcome handshake_phase::on_ready(std::uint32_t events) noexcept
{
    if ((events & runtime::events::writable) && !write()) return fail_lost(errc::out_of_memory);
    return read();
}

handshake_phase::outcome handshake_phase::resume(const zmtp::mechanism_event& event) noexcept
{
    const zmtp::handshake::state state = machine().resume(event);
    if (state == zmtp::handshake::state::failed) return fail();
    if (state == zmtp::handshake::state::done) return keep_begun_traffic();
    if (!write()) return fail_lost(errc::out_of_memory);
    interest_.rearm();  // outside of a report: after a report, interest is rearmed anyway
    return outcome::in_progress;
}

// Keeps the traffic that came with a frame before the answer.
handshake_phase::outcome handshake_phase::keep_begun_traffic() noexcept
{
    try {
        begun_ = carried_->begun_traffic();
    } catch (...) {
        return fail_lost(errc::out_of_memory);
    }
    unread_ = begun_;
    return outcome::done;
}

// False: memory is short for what is to be written.
bool handshake_phase::write() noexcept
{
    while (true) {
        const auto out = output();
        if (out.empty()) break;
        const iovec piece{const_cast<std::byte*>(out.data()), out.size()};
        const transport::io_outcome written = stream_.write(&piece, 1);
        consume_output(written.octets);
        if (written.state == transport::io_outcome::status::blocked) {
            wait_to_write();
            return true;
        }
        // Octets that the peer sent before it closed may still tell the reason; reading finds the end.
        if (written.state == transport::io_outcome::status::failed) consume_output(out.size());
    }
    if (broken()) return false;
    interest_.change(0, runtime::events::writable);
    if (stream_.has_pending_output()) write_own();
    return true;
}

// Octets of the stream's own; an error is found by reading.
void handshake_phase::write_own() noexcept
{
    if (stream_.write(nullptr, 0).state == transport::io_outcome::status::blocked) wait_to_write();
}

// Waits for room, or for the next read, after which the write is tried again.
void handshake_phase::wait_to_write() noexcept
{
    if (stream_.write_waits_for_input()) {
        interest_.change(0, runtime::events::writable);
    } else {
        interest_.change(runtime::events::writable, 0);
    }
}

handshake_phase::outcome handshake_phase::read() noexcept
{
    using status = transport::io_outcome::status;
    const iovec piece{in_.data(), in_.size()};
    auto state = status::more;
    for (int turns = 0; state == status::more && turns < most_turns; ++turns) {
        const transport::io_outcome come = stream_.read(&piece, 1);
        state = come.state;
        if (state == status::closed) return fail_lost(errc::broken_pipe);
        if (state == status::failed) return fail_lost(come.error);
        if (!ask_about_certificate()) return fail_lost(errc::out_of_memory);
        const framed_handshake::step step = carried_->advance({in_.data(), come.octets});
        if (step.state == zmtp::handshake::state::failed) return fail();
        if (step.state == zmtp::handshake::state::done) {
            unread_ = step.unread;
            return outcome::done;
        }
        if (!write()) return fail_lost(errc::out_of_memory);
    }
    if (state == status::more || stream_.pending()) {
        interest_.requeue();
    } else {
        interest_.rearm();
    }
    return outcome::in_progress;
}

// Before the first octet that comes through the stream that has asked for it. False: memory is short.
bool handshake_phase::ask_about_certificate() noexcept
{
    if (!asks_about_certificate_) return true;
    try {
        if (auto certificate = stream_.client_certificate()) {
            machine().ask_about_certificate(certificate->mechanism, std::move(certificate->der));
            asks_about_certificate_ = false;
        }
    } catch (...) {
        return false;
    }
    return true;
}

// A stream that has words knows best.
void handshake_phase::explain(std::string_view words) noexcept
{
    const std::string_view told = stream_.failure_words();
    try {
        reason_ = told.empty() ? words : told;
    } catch (...) {  // then monitors get none
    }
}

void handshake_phase::explain(zmtp::handshake_error error) noexcept
{
    try {
        explain(words_of_handshake(error, machine().error_text()));
    } catch (...) {
        explain(zmtp::to_text(error));
    }
}

void handshake_phase::report(monitor_event event, std::uint64_t value) noexcept
{
    probes::handshake(endpoints_.identifier().c_str(), std::uint32_t(event), reason_.c_str());
    host_->report(event, value, endpoints_, reason_);
}

handshake_phase::outcome handshake_phase::fail_lost(errc why) noexcept
{
    ending_ = ending::handshake_failed;
    // The error of a peer that does not negotiate, or that negotiates and then sends no frames. If a stream below
    // failed, there is none.
    const zmtp::handshake_error named = carried_->failure().error;
    if (why == errc::protocol_error && named != zmtp::handshake_error::none) {
        host_->note_error(zmtp::to_text(named), endpoints_);
        if (reason_.empty()) explain(zmtp::to_text(named));
        report(monitor_event::handshake_failed_protocol, std::uint64_t(named));
        return outcome::failed;
    }
    const bool closed = why == errc::broken_pipe;
    host_->note_error(closed ? "the peer closed during the handshake" : std::strerror(to_errno(why)), endpoints_);
    if (reason_.empty()) explain(closed ? words_of_early_close(mechanism_, as_server_) : words_of(why));
    report(monitor_event::handshake_failed_no_detail, std::uint64_t(to_errno(why)));
    return outcome::failed;
}

// Only if no output waits, so that the octets that went out before end with a frame.
void handshake_phase::say_close(wire::close_reason why) noexcept
{
    if (output().empty()) engine::say_close(frames_, stream_, why);
}

handshake_phase::outcome handshake_phase::fail() noexcept
{
    // An ERROR command, if the peer takes it.
    bool taken = true;
    for (auto out = output(); !out.empty(); out = output()) {
        const iovec piece{const_cast<std::byte*>(out.data()), out.size()};
        taken &= stream_.write(&piece, 1).octets == out.size();
        consume_output(out.size());
    }
    ending_ = ending::handshake_failed;
    const carrier_failure carrier = carried_->failure();
    if (carrier.what == carrier_failure::kind::closed) return fail_lost(errc::broken_pipe);
    if (carrier.what == carrier_failure::kind::broken) {
        if (taken) say_close(carrier.told_to_peer);
        explain(tell_mistake(endpoints_, frames_, carrier.told_to_peer));
        return fail_lost(errc::protocol_error);
    }
    const zmtp::handshake_error error = machine().error();
    host_->note_error(zmtp::to_text(error), endpoints_);
    if (taken)
        say_close(zmtp::is_protocol_error(error) ? wire::close_reason::protocol_error : wire::close_reason::refused);
    explain(error);
    if (zmtp::is_protocol_error(error)) {
        report(monitor_event::handshake_failed_protocol, std::uint64_t(error));
        ending_ = ending::protocol_error;
    } else if (error == zmtp::handshake_error::auth) {
        const int status = machine().auth_status();
        if (!zmtp::is_temporary(status)) ending_ = ending::refused;
        explain(words_of_refusal(status));
        report(monitor_event::handshake_failed_auth, std::uint64_t(status));
    } else if (error == zmtp::handshake_error::foreign_record) {
        tell_words(endpoints_, reason_);
        report(monitor_event::handshake_failed_no_detail, EPROTONOSUPPORT);
    } else {
        const int why = error == zmtp::handshake_error::no_zap_handler ? EFAULT
                        : error == zmtp::handshake_error::http_answer  ? EPROTONOSUPPORT
                                                                       : EPROTO;
        report(monitor_event::handshake_failed_no_detail, std::uint64_t(why));
    }
    return outcome::failed;
}

}  // namespace zlink::engine
