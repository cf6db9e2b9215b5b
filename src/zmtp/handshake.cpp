// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The handshake of one connection.
#include "zmtp/handshake.hpp"

#include "message/frame_header.hpp"
#include "zmtp/command.hpp"
#include "zmtp/mechanism/common.hpp"
#include "zmtp/mechanism/table.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace zlink::zmtp {

handshake::handshake(local_peer local, beginning where) noexcept : local_(std::move(local))
{
    if (where == beginning::greeting) greeting_out_.append(encode_signature(local_.routing_id.size()));
}

void handshake::begin(bool with_mechanism) noexcept
{
    remote_.version = protocol_version::zmtp_3_0;
    try {
        if (with_mechanism) return make_mechanism();
        if (!checks_peers()) return start_routing_ids();
        fail(handshake_error::zmtp_mechanism_mismatch, "Peer knows no mechanisms");
    } catch (const std::bad_alloc&) {
        fail(handshake_error::no_detail, "out of memory");
    }
}

handshake::step handshake::advance(std::span<const std::byte> in) noexcept
{
    std::size_t consumed = 0;
    try {
        while (consumed < in.size() && current() == state::in_progress) consumed += take(in.subspan(consumed));
    } catch (const std::bad_alloc&) {
        fail(handshake_error::no_detail, "out of memory");
    }
    return {consumed, current()};
}

std::size_t handshake::take(std::span<const std::byte> in)
{
    switch (phase_) {
    case phase::greeting: return take_greeting(in);
    case phase::v1_routing_id: return take_v1_routing_id(in);
    case phase::v2_routing_id: return take_v2_routing_id(in);
    case phase::mechanism: return take_command(in);
    case phase::done:
    case phase::failed: break;
    }
    return 0;
}

std::size_t handshake::take_greeting(std::span<const std::byte> in)
{
    const std::size_t taken = greeting_.advance(in);
    answer_greeting();
    const auto stage = greeting_.current();
    if (stage == greeting_reader::stage::complete || stage == greeting_reader::stage::unversioned) {
        start_after_greeting();
    }
    return taken;
}

/// Sends the part of this side's greeting that the peer's octets call for so far.
void handshake::answer_greeting()
{
    using stage = greeting_reader::stage;
    const stage reached = greeting_.current();
    if (reached == stage::signature || reached == stage::unversioned) return;

    if (greeting_out_.size() == signature_size) greeting_out_.append(std::array{std::byte{own_major_version}});
    if (reached == stage::version || greeting_out_.size() > signature_size + 1) return;

    if (greeting_.revision() < own_major_version) {
        greeting_out_.append(std::array{std::byte(socket_type_octet(local_.type))});
    } else {
        const security_settings& security = local_.security_or_default();
        const mechanism_row* const row = find_mechanism(security.mechanism);
        greeting_out_.append(encode_greeting_rest(row ? row->name : std::string_view{}, security.as_server));
    }
}

void handshake::start_after_greeting()
{
    remote_.version = greeting_.version();
    const auto& id = local_.routing_id;
    const bool unversioned = greeting_.current() == greeting_reader::stage::unversioned;
    if (!unversioned && greeting_.revision() >= own_major_version) return start_mechanism();

    if (!accept_version()) return;
    if (unversioned) {
        // This peer has read this side's signature as the header of a routing-id frame, and its own first octets belong
        // to one too.
        remote_.forwards_subscriptions = false;
        out_.insert(out_.end(), id.begin(), id.end());
        phase_ = phase::v1_routing_id;
        take_v1_routing_id(greeting_.octets());
        return;
    }
    if (!accept_socket_type_octet()) return;
    start_routing_ids();
}

/// Decides about peers from before mechanisms.
bool handshake::accept_version()
{
    const security_settings& security = local_.security_or_default();
    if (checks_peers()) {
        fail(handshake_error::zmtp_mechanism_mismatch, "Peer knows no mechanisms");
    } else if (security.oldest_zmtp > (remote_.version == protocol_version::zmtp_1_0 ? 1 : 2)) {
        fail(handshake_error::zmtp_unspecified, "Peer speaks an older ZMTP than ZMQ_OLDEST_ZMTP allows");
    } else if (traits(local_.type).thread_safe) {
        fail(handshake_error::zmtp_unspecified, "Peer speaks a ZMTP older than this type of socket");
    }
    return phase_ != phase::failed;
}

void handshake::start_routing_ids()
{
    const auto& id = local_.routing_id;
    const bool v1 = remote_.version == protocol_version::zmtp_1_0;
    std::byte header[v1_max_header_size];
    const std::size_t n =
        v1 ? encode_v1_header(header, false, id.size()) : message::encode_header(header, 0, id.size());
    out_.insert(out_.end(), header, header + n);
    out_.insert(out_.end(), id.begin(), id.end());
    phase_ = v1 ? phase::v1_routing_id : phase::v2_routing_id;
}

void handshake::start_mechanism()
{
    const security_settings& security = local_.security_or_default();
    const mechanism_row* const row = find_mechanism(security.mechanism);
    // Two servers would wait for each other. Two clients cannot be detected: libzmq's servers do not announce
    // themselves.
    const bool two_servers = security.as_server && greeting_.as_server();
    if (!row || !greeting_.mechanism_is(row->name) || two_servers) {
        fail(handshake_error::zmtp_mechanism_mismatch);
        return;
    }
    make_mechanism();
}

void handshake::make_mechanism()
{
    const mechanism_row* const row = find_mechanism(local_.security_or_default().mechanism);
    if (!row) return fail(handshake_error::zmtp_mechanism_mismatch);
    mechanism_ = row->make(local_);
    phase_ = phase::mechanism;
    follow_mechanism();
}

bool handshake::accept_socket_type_octet()
{
    const auto type = socket_type_from_octet(greeting_.socket_type_octet());
    if (!type || !compatible(local_.type, *type)) {
        fail(handshake_error::zmtp_invalid_metadata, "Invalid socket type");
        return false;
    }
    remote_.socket_type = socket_type_name(*type);
    return true;
}

std::size_t handshake::take_v1_routing_id(std::span<const std::byte> in)
{
    if (const std::size_t taken = http_.advance(in)) {
        fail(handshake_error::http_answer);
        return taken;
    }
    if (const std::size_t taken = record_.advance(in)) {
        fail(handshake_error::foreign_record);
        return taken;
    }
    const v1_decoder::step decoded = v1_routing_id_.advance(in);
    if (decoded.state == v1_decoder::state::failed) {
        if (v1_routing_id_.error() == errc::out_of_memory) throw std::bad_alloc();
        fail(handshake_error::zmtp_unspecified, "Bad routing id");
    } else if (decoded.state == v1_decoder::state::frame) {
        // Flags are not looked at (RFC 13: idflags SHALL not be validated).
        remote_.routing_id.assign(v1_routing_id_.body().begin(), v1_routing_id_.body().end());
        phase_ = phase::done;
    }
    return decoded.consumed;
}

std::size_t handshake::take_v2_routing_id(std::span<const std::byte> in)
{
    const std::size_t taken = frame_.advance(in, longest_frame());
    if (frame_.current() == handshake_frame_reader::state::in_progress) return taken;

    const bool plain = frame_.current() == handshake_frame_reader::state::complete &&
                       (frame_.flags() & (message::flag_more | message::flag_command)) == 0;
    if (!plain) {
        fail(handshake_error::zmtp_unspecified, "Bad routing id");
        return taken;
    }
    remote_.routing_id.assign(frame_.body().begin(), frame_.body().end());
    phase_ = phase::done;
    return taken;
}

std::size_t handshake::take_command(std::span<const std::byte> in)
{
    using frame_state = handshake_frame_reader::state;
    const std::size_t taken = frame_.advance(in, longest_frame());
    if (frame_.current() == frame_state::in_progress) return taken;

    if (frame_.current() == frame_state::too_large) {
        fail(handshake_error::zmtp_malformed_command_unspecified, "Command too large");
        return taken;
    }
    if (frame_.current() == frame_state::reserved_flags) {
        fail(handshake_error::zmtp_malformed_command_unspecified, "Reserved flags set");
        return taken;
    }
    if (!(frame_.flags() & message::flag_command)) {
        fail(handshake_error::zmtp_unexpected_command, "Message before the end of the handshake");
        return taken;
    }
    if (frame_.flags() & message::flag_more) {
        fail(handshake_error::zmtp_malformed_command_unspecified, "Command with the MORE flag");
        return taken;
    }
    mechanism_->process_command(frame_.body(), remote_);
    frame_.reset();
    follow_mechanism();
    return taken;
}

/// Sends the commands that the mechanism has ready, and takes over its state.
void handshake::follow_mechanism()
{
    if (certificate_.waiting() && mechanism_->state() != mechanism_state::failed) return;
    std::vector<std::byte> body;
    while (mechanism_->next_command(body)) {
        append_command_frame(out_, body);
        body.clear();
    }
    if (mechanism_->state() == mechanism_state::failed) fail(mechanism_->failure().error);
    if (mechanism_->state() == mechanism_state::ready) phase_ = phase::done;
}

const zap_request* handshake::question() const noexcept
{
    if (phase_ != phase::mechanism) return nullptr;
    return certificate_.waiting() ? certificate_.question() : mechanism_->question();
}

void handshake::ask_about_certificate(std::string_view mechanism, std::vector<std::byte> certificate)
{
    // With or without a domain, unlike CURVE's question: this one has an option of its own.
    zap_request question{mechanism, {}};
    question.credentials.push_back(std::move(certificate));
    certificate_.ask(std::move(question));
}

bool handshake::checks_peers() const noexcept
{
    return certificate_.waiting() || local_.security_or_default().checks_peers();
}

void handshake::take_answer_about_certificate(const mechanism_event& event)
{
    not_admitted_ = certificate_.take(event, !local_.security_or_default().zap_enforce_domain, remote_);
    if (not_admitted_.error == handshake_error::none) return follow_mechanism();
    // In place of the mechanism's first command, as clients of every mechanism expect one there.
    if (is_told(not_admitted_)) {
        std::vector<std::byte> body;
        append_error(body, not_admitted_.text);
        append_command_frame(out_, body);
    }
    fail(not_admitted_.error);
}

handshake::state handshake::resume(const mechanism_event& event) noexcept
{
    if (!question()) return current();
    try {
        if (certificate_.waiting()) {
            take_answer_about_certificate(event);
        } else {
            mechanism_->resume(event, remote_);
            follow_mechanism();
        }
    } catch (const std::bad_alloc&) {
        fail(handshake_error::no_detail, "out of memory");
    }
    return current();
}

std::span<const std::byte> handshake::output() const noexcept
{
    const std::span<const std::byte> greeting = greeting_out_.unsent();
    return greeting.empty() ? std::span(out_).subspan(out_sent_) : greeting;
}

void handshake::consume_output(std::size_t n) noexcept
{
    out_sent_ += std::min(n - greeting_out_.consume(n), out_.size() - out_sent_);
    if (out_sent_ == out_.size()) {
        out_.clear();
        out_sent_ = 0;
    }
}

handshake::state handshake::current() const noexcept
{
    if (phase_ == phase::done) return state::done;
    return phase_ == phase::failed ? state::failed : state::in_progress;
}

std::size_t handshake::longest_frame() const noexcept
{
    if (phase_ == phase::v2_routing_id) return max_routing_id_size;
    return phase_ == phase::mechanism ? mechanism_->longest_command() : max_handshake_frame;
}

std::string_view handshake::error_text() const noexcept
{
    if (!error_text_.empty()) return error_text_;
    if (!not_admitted_.text.empty()) return not_admitted_.text;
    if (mechanism_ && !mechanism_->failure().text.empty()) return mechanism_->failure().text;
    return to_text(error_);
}

int handshake::auth_status() const noexcept
{
    if (not_admitted_.auth_status != 0) return not_admitted_.auth_status;
    return mechanism_ ? mechanism_->failure().auth_status : 0;
}

void handshake::fail(handshake_error error, std::string_view text) noexcept
{
    phase_ = phase::failed;
    error_ = error;
    error_text_ = text;
}

}  // namespace zlink::zmtp
