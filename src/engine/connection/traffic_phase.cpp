// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/connection/traffic_phase.hpp"

#include "base/invariant.hpp"
#include "engine/connection/protocol_violation.hpp"
#include "engine/failure_words.hpp"
#include "message/frame_header.hpp"
#include "zmtp/handshake_error.hpp"

#include <utility>

namespace zlink::engine {

namespace {

constexpr std::string_view closed_by_peer = "the peer closed the connection";

}  // namespace

traffic_phase::traffic_phase(io_worker& worker, traffic_owner& owner, const host_ref& host,
                             const endpoint_pair& endpoints, const session_options& options, transport::stream& stream,
                             const framing& frames, descriptor_interest& interest, zmtp::protocol_version version,
                             zmtp::sealing sealing)
    : at_{.worker = worker,
          .host = host,
          .endpoints = endpoints,
          .options = options,
          .stream = stream,
          .frames = frames,
          .interest = interest,
          .version = version,
          .wraps = !stream.supports_inline_io()},
      owner_(owner),
      commands_(at_, *this),
      send_(at_, std::move(sealing.out)),
      receive_(at_, *this, std::move(sealing.in)),
      inline_(at_, send_.writer(), receive_.reader(), commands_.heartbeat()),
      lease_(at_, *this, send_)
{}

void traffic_phase::share_bodies()
{
    invariant([this] { return !at_.end; });
    sharing_ = std::make_unique<body_sharing>(at_, commands_, send_.writer(), receive_.reader());
    commands_.share_bodies(sharing_.get());
}

bool traffic_phase::take_over(std::span<const std::byte> to_send, std::span<const std::byte> unread) noexcept
{
    invariant([this] { return !at_.end; });
    return send_.writer().send_first(to_send) && receive_.reader().feed(unread);
}

bool traffic_phase::greet(std::span<const std::byte> message) noexcept
{
    greeting_octets_ = message::header_size(message.size()) + message.size();
    return send_.writer().send_first_message(message);
}

void traffic_phase::begin(pipe::pipe_end& end, bool wants_all) noexcept
{
    invariant([this] { return at_.on_worker() && !at_.end; });
    at_.end = &end;
    former_client_ = std::exchange(end.client, static_cast<pipe::pipe_client*>(this));
    if (wants_all && !commands_.deliver_subscription(true, {}))
        return over(ending::lost, words_of(errc::out_of_memory));
    end.reader.begin_octets();
    pipe::connection_counts& counts = end.parent().io.counts;
    send_.writer().count_in(counts.writes);
    receive_.reader().count_in(counts.reads);
    counts.round_trip.set(0);
    if (greeting_octets_ != 0) counts.greetings.add(1);
    counts.greeting_octets.add(greeting_octets_);
    // A change of the mark that was asked for while the pipe had no connection.
    receive_.take_up_mark_now();
    if (end.reader.flush_credit()) end.peer().notify(pipe::event_credit);
    lease_.begin();
    inline_.begin();
    commands_.start_heartbeat();
    send_.begin();
    if (write() && read()) lease_.watch_if_resumed();
}

void traffic_phase::on_ready(std::uint32_t events) noexcept
{
    invariant([this] { return at_.on_worker(); });
    constexpr std::uint32_t over_or_ending =
        runtime::events::hung_up | runtime::events::failed | runtime::events::ended;
    if (at_.stopped()) return;
    at_.interest.note_report(events);
    if (events & runtime::events::writable) {
        at_.interest.change(0, runtime::events::writable);
        if (!go_on_writing()) return;
    }
    // The kernel may still have octets of a peer that is not read any more: its end is seen all the same.
    if (receive_.now() == receive_path::state::detached && (events & over_or_ending))
        return over(ending::lost, closed_by_peer);
    if (events & (runtime::events::readable | over_or_ending)) {
        (void)read();
    } else {
        at_.interest.rearm();
    }
}

void traffic_phase::on_pipe_events(std::uint32_t events) noexcept
{
    invariant([this] { return at_.on_worker(); });
    constexpr std::uint32_t of_session = pipe::event_peer_closed | pipe::event_untaken;
    if (events & of_session) former_client_->on_pipe_events(events & of_session);
    if (at_.stopped()) return owner_.on_token_back();
    if (!take_up_marks(events & pipe::event_hwm)) return;
    if (events & (pipe::event_data | pipe::event_peer_closed | pipe::event_token)) {
        if (!write()) return;
    }
    if (events & pipe::event_chunk) at_.worker.idle().add_if_unknown(*at_.end);
    if (events & pipe::event_pool) at_.worker.idle().note_pool();
    if ((events & pipe::event_segment) && sharing_) sharing_->make_segment();
    if (events & pipe::event_watch) lease_.watch();
    if (events & pipe::event_look) {
        lease_.look();
        if (at_.stopped()) return;
    }
    if (events & pipe::event_rejected) receive_.note_rejected();
    const bool unpaused = receive_.waits_for_credit() && (events & pipe::event_credit);
    if (unpaused || (events & pipe::event_inline_stop)) (void)read();
}

// A mark belongs to the two ends of its lane, and the marks here belong to the holders of the tokens. An application
// that holds a token tells when it gives it back, and is woken if it sleeps with one.
bool traffic_phase::take_up_marks(bool changed) noexcept
{
    if (changed) {
        send_.note_changed_mark();
        receive_.note_changed_mark();
    }
    send_.take_up_mark();
    // Read on, as the token may have been parked.
    return !receive_.take_up_mark() || read();
}

void traffic_phase::on_pause_over() noexcept
{
    if (receive_.now() == receive_path::state::throttled) (void)read();
}

bool traffic_phase::read() noexcept
{
    switch (receive_.read(commands_, commands_.heartbeat())) {
    case receive_path::outcome::goes_on: break;
    case receive_path::outcome::closed: over(ending::lost, closed_by_peer); return false;
    case receive_path::outcome::failed: failed_reading(); return false;
    }
    if (at_.wraps) send_.write_own_octets();
    return send_.now() != send_path::state::wait_input || go_on_writing();
}

bool traffic_phase::after(send_path::outcome what) noexcept
{
    switch (what) {
    case send_path::outcome::goes_on: return true;
    case send_path::outcome::drained: over(ending::finished, ""); return false;
    case send_path::outcome::close_answered: over(ending::lost, closed_by_peer); return false;
    case send_path::outcome::lost: over(ending::lost, words_of(send_.writer().error())); return false;
    }
    return true;
}

// Ends the connection, and says so to monitors if the peer is to blame; for other errors it is just lost.
void traffic_phase::failed_reading() noexcept
{
    using known = zmtp::handshake_error;
    const connection_reader& reader = receive_.reader();
    const errc why = commands_.out_of_memory() ? errc::out_of_memory : reader.error();
    if (why != errc::protocol_error && why != errc::message_too_long) return over(ending::lost, words_of(why));
    const std::string_view mistake = tell_mistake(at_.endpoints, at_.frames, reader.told_to_peer());
    known reason = reader.reason();
    if (reason == known::none) {
        reason = why == errc::message_too_long ? known::zmtp_malformed_command_message : known::zmtp_unspecified;
    }
    std::string_view words = mistake;
    if (words.empty()) {
        words = why == errc::message_too_long ? "the peer sent a message longer than ZMQ_MAXMSGSIZE allows"
                                              : zmtp::to_text(reason);
    }
    at_.host->report(monitor_event::handshake_failed_protocol, std::uint64_t(reason), at_.endpoints, words);
    over(ending::protocol_error, words);
}

void traffic_phase::drain() noexcept
{
    invariant([this] { return at_.on_worker(); });
    at_.advance(traffic_life::draining);
    if (at_.end && !at_.stopped()) (void)write();
}

void traffic_phase::stop() noexcept
{
    invariant([this] { return at_.on_worker(); });
    peer_closes_ = at_.life == traffic_life::peer_closing;
    at_.advance(traffic_life::stopped);
    commands_.stop();
    if (sharing_) sharing_->stop();
    receive_.stop();
    lease_.stop();
}

// With both tokens. A peer that closes itself has had its answer; a peer that has gone, or is silent, is told nothing.
void traffic_phase::say_close(ending why) noexcept
{
    invariant([this] { return at_.worker_reads() && at_.worker_writes(); });
    if (peer_closes_ || !send_.writer().between_frames(at_.end->reader)) return;
    if (why == ending::finished) engine::say_close(at_.frames, at_.stream, wire::close_reason::finished);
    if (why == ending::protocol_error) engine::say_close(at_.frames, at_.stream, receive_.reader().told_to_peer());
}

bool traffic_phase::release(ending why) noexcept
{
    invariant([this] { return at_.on_worker() && at_.stopped(); });
    if (!at_.end) return true;
    pipe::pipe_end& end = *at_.end;
    pipe::pipe& p = end.parent();
    if (!p.io.read_token.take_or_ask()) {
        end.peer().notify(pipe::event_token);
        return false;
    }
    if (!p.io.write_token.take_or_ask()) return false;
    say_close(why);
    send_.end();
    inline_.end();
    at_.worker.forget(end);
    end.writer.rollback();
    end.reader.rewind();
    end.client = former_client_;
    return true;
}

}  // namespace zlink::engine
