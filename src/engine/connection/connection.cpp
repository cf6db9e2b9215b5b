// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/connection/connection.hpp"

#include "base/invariant.hpp"
#include "base/probes.hpp"
#include "engine/peer_properties.hpp"
#include "runtime/clock.hpp"

#include <cerrno>
#include <chrono>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>

namespace zlink::engine {

namespace {

// Publishers wait for subscriptions, see event_loop::catch_up().
runtime::input kind_of_input(const session_options& options) noexcept
{
    return publishes(options.type) ? runtime::input::awaited : runtime::input::unawaited;
}

constexpr std::string_view no_memory = "memory is short";

}  // namespace

connection::connection(io_worker& worker, connection_owner& owner, host_ref host, const session_options& options,
                       std::unique_ptr<transport::stream> stream, endpoint_pair endpoints)
    : worker_(worker),
      owner_(owner),
      host_(host),
      options_(options),
      stream_(std::move(stream)),
      endpoints_(std::move(endpoints)),
      interest_(worker.loop(), *this, kind_of_input(options)),
      frames_(framing_of(options, *stream_))
{}

connection::~connection()
{
    interest_.remove();
}

void connection::start() noexcept
{
    invariant([this] { return worker_.loop().on_loop_thread(); });
    if (!interest_.add(stream_->descriptor())) return fail(ending::lost, no_memory);
    if (options_.raw) return start_raw();
    start_handshake();
}

void connection::start_handshake() noexcept
{
    try {
        handshake_ = std::make_unique<handshake_phase>(frames_, options_, host_, endpoints_, *stream_, interest_,
                                                       worker_.loop());
    } catch (...) {
        return fail(ending::lost, no_memory);
    }
    if (const auto limit = options_.connection.handshake_ivl; limit.count() > 0) {
        if (!handshake_->limit.start(runtime::clock::now() + limit, [this] { time_out(); })) {
            return fail(ending::lost, no_memory);
        }
    }
    after(handshake_->start());
}

// Traffic from the beginning. If the stream has a handshake of its own, traffic starts by itself once that is done.
void connection::start_raw() noexcept
{
    establish();
    const auto limit = options_.connection.handshake_ivl;
    if (phase_ != phase::traffic || limit.count() <= 0 || !stream_->handshake_in_progress()) return;
    raw_limit_.reset(new (std::nothrow) runtime::deadline_timer(worker_.loop()));
    const auto look = [this] {
        if (phase_ == phase::traffic && stream_->handshake_in_progress()) time_out();
    };
    if (!raw_limit_ || !raw_limit_->start(runtime::clock::now() + limit, look)) fail(ending::lost, no_memory);
}

void connection::time_out() noexcept
{
    constexpr std::string_view reason =
        "the handshake took too long (ZMQ_HANDSHAKE_IVL); check that a ZeroMQ socket is on the other side";
    host_->note_error("the handshake took too long", endpoints_);
    // libzmq's value for this event, which programs know.
    probes::handshake(endpoints_.identifier().c_str(), std::uint32_t(monitor_event::handshake_failed_no_detail),
                      reason.data());
    host_->report(monitor_event::handshake_failed_no_detail, EAGAIN, endpoints_, reason);
    fail(ending::timed_out, reason);
}

void connection::after(handshake_phase::outcome what) noexcept
{
    switch (what) {
    case handshake_phase::outcome::in_progress:
        if (handshake_->question() && !zap_) ask_zap_handler();
        return;
    case handshake_phase::outcome::failed: return fail(handshake_->ended(), handshake_->reason());
    case handshake_phase::outcome::done: return establish();
    }
}

void connection::ask_zap_handler() noexcept
{
    zap_dialog_owner& me = *this;
    zap_.reset(new (std::nothrow) zap_dialog(worker_, me));
    if (!zap_) return fail(ending::lost, no_memory);
    switch (zap_->ask(*host_, *handshake_->question(), options_, *stream_)) {
    case zap_dialog::asked::yes: return;
    case zap_dialog::asked::nobody: return on_zap_answer(zmtp::zap_absent{});
    case zap_dialog::asked::no_memory: return fail(ending::lost, no_memory);
    }
}

void connection::on_zap_answer(const zmtp::mechanism_event& answer) noexcept
{
    zap_.reset();
    after(handshake_->resume(answer));
}

// For monitors.
void connection::note_words(const zmtp::remote_peer& of)
{
    const std::string_view user_id = user_id_of(of);
    if (of.routing_id.empty() && user_id.empty()) return;
    const auto* const routing_id = reinterpret_cast<const char*>(of.routing_id.data());
    endpoints_.peer = std::make_shared<peer_words>(
        peer_words{.address = std::string(endpoints_.bound ? std::string_view() : endpoints_.peer_address()),
                   .routing_id = std::string(routing_id, of.routing_id.size()),
                   .user_id = std::string(user_id)});
}

void connection::establish() noexcept
{
    zmtp::remote_peer raw_peer;
    zmtp::remote_peer& peer = handshake_ ? handshake_->peer() : raw_peer;
    try {
        traffic_owner& me = *this;
        traffic_.emplace(worker_, me, host_, endpoints_, options_, *stream_, frames_, interest_, peer.version,
                         handshake_ ? handshake_->take_sealing() : zmtp::sealing{});
        if (handshake_ && agrees_on_shared_bodies(options_, *stream_, peer)) traffic_->share_bodies();
        note_words(peer);
    } catch (...) {
        return fail(ending::lost, no_memory);
    }
    if (handshake_) {
        handshake_->limit.cancel();
        while (!handshake_->output().empty()) {
            if (!traffic_->take_over(handshake_->output(), {})) return fail(ending::lost, no_memory);
            handshake_->consume_output(handshake_->output().size());
        }
        if (handshake_->broken()) return fail(ending::lost, no_memory);
        if (!traffic_->take_over({}, handshake_->unread())) return fail(ending::lost, no_memory);
        probes::handshake(endpoints_.identifier().c_str(), std::uint32_t(monitor_event::handshake_succeeded), "");
        host_->report(monitor_event::handshake_succeeded, 0, endpoints_, "");
    }
    if (const connection_options& c = options_.connection; !c.hello_message.empty()) {
        if (!traffic_->greet(std::as_bytes(std::span(c.hello_message)))) return fail(ending::lost, no_memory);
    }
    phase_ = phase::traffic;
    pipe::pipe_end* end = owner_.on_established(peer);
    const bool wants_all = !peer.forwards_subscriptions && publishes(options_.type);
    handshake_.reset();
    if (!end) return abort(finishing_ ? ending::finished : ending::lost);
    if (finishing_) traffic_->drain();
    traffic_->begin(*end, wants_all);
}

void connection::on_ready(std::uint32_t events) noexcept
{
    invariant([this] { return worker_.loop().on_loop_thread(); });
    switch (phase_) {
    case phase::handshake: return after(handshake_->on_ready(events));
    case phase::traffic: return traffic_->on_ready(events);
    case phase::closing:
    case phase::closed: return;
    }
}

void connection::on_token_back() noexcept
{
    if (phase_ == phase::closing) try_close();
}

void connection::finish() noexcept
{
    invariant([this] { return worker_.loop().on_loop_thread(); });
    finishing_ = true;
    if (phase_ == phase::traffic) traffic_->drain();
}

// A stream that has words knows best.
void connection::fail(ending why, std::string_view reason) noexcept
{
    if (closing()) return;
    const std::string_view told = stream_->failure_words();
    try {
        reason_ = told.empty() ? reason : told;
    } catch (...) {  // then monitors get none
    }
    abort(why);
}

void connection::abort(ending why) noexcept
{
    invariant([this] { return worker_.loop().on_loop_thread(); });
    if (closing()) return;
    ending_ = why;
    phase_ = phase::closing;
    if (handshake_) handshake_->limit.cancel();
    if (raw_limit_) raw_limit_->cancel();
    zap_.reset();
    if (traffic_) traffic_->stop();
    try_close();
}

void connection::try_close() noexcept
{
    if (traffic_ && !traffic_->release(ending_)) return;
    if (handshake_ && ending_ == ending::finished) handshake_->say_close();
    phase_ = phase::closed;
    interest_.remove();
    // If this program ended the connection itself, monitors get no event.
    if (ending_ != ending::finished) {
        host_->report(monitor_event::disconnected, std::uint64_t(stream_->descriptor()), endpoints_, reason_);
    }
    stream_.reset();
    owner_.on_ended(ending_);
}

}  // namespace zlink::engine
