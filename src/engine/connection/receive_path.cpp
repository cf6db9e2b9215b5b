// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/connection/receive_path.hpp"

#include "base/invariant.hpp"
#include "base/probes.hpp"
#include "load/limits.hpp"
#include "message/body_pool.hpp"
#include "runtime/clock.hpp"

#include <utility>

namespace zlink::engine {

namespace {

// Reads in one go before other connections get their turn.
constexpr int most_reads = 8;

// A publisher's peer that has so many in a row is not waited for; see event_loop::catch_up().
constexpr unsigned turns_of_a_flood = 8;

}  // namespace

receive_path::receive_path(traffic_context& at, path_owner& owner, std::unique_ptr<zmtp::opener> opens)
    : at_(at),
      owner_(owner),
      reader_(at.frames.make_inbound(at.options, at.version, at.stream, std::move(opens))),
      pause_timer_(at.worker.loop())
{}

receive_path::outcome receive_path::read(wire::command_handler& commands, connection_heartbeat& heartbeat) noexcept
{
    invariant([this] { return at_.on_worker() && !at_.stopped(); });
    pipe::io_token& token = at_.end->parent().io.read_token;
    // An application that holds the token reads itself, and switches the interest on again when it leaves. If it left
    // in the meantime, it has told so.
    if (!token.take_if_free()) return outcome::goes_on;
    state_ = state::open;
    auto what = step::again;
    for (int i = 0; i < most_reads && what == step::again; ++i) what = read_once(commands, heartbeat);
    switch (what) {
    case step::left: return outcome::goes_on;
    case step::closed: token.give_back(); return outcome::closed;
    case step::failed: token.give_back(); return outcome::failed;
    case step::again:
    case step::pause:
    case step::drained: break;
    }
    undrained_turns_ = what == step::drained ? 0 : undrained_turns_ + 1;
    if (undrained_turns_ >= turns_of_a_flood && publishes(at_.options.type)) at_.worker.loop().note_flood();
    const bool more_to_look_at = reader_.has_unread() && state_ == state::open;
    ask_for_input(what == step::drained && at_.stream.short_read_takes_all());
    token.give_back();
    if (more_to_look_at) at_.end->notify(pipe::event_inline_stop);
    return outcome::goes_on;
}

// left: the interest is set, and the token is in its place.
receive_path::step receive_path::read_once(wire::command_handler& commands, connection_heartbeat& heartbeat) noexcept
{
    invariant([this] { return at_.worker_reads(); });
    if (detaches() || pauses()) return step::left;
    pipe::lane_writer& lane = at_.end->writer;
    if (!lane.has_room_for_next_or_wait()) {
        state_ = state::lane_full;
        probes::mark(probes::mark_side::receiving, this);
        return step::pause;
    }
    const std::uint64_t before = lane.written();
    const std::uint64_t octets_before = reader_.octets_read();
    const connection_reader::outcome what = reader_.read_once(at_.stream, at_.worker.arena(), lane, &commands);
    heartbeat.end_read(reader_.octets_read() != octets_before);
    if (lane.written() != before) {
        lane.note_written();
        at_.worker.idle().note_pool();
        at_.end->wake_reader();
    }
    switch (what) {
    case connection_reader::outcome::closed: return step::closed;
    case connection_reader::outcome::failed: return step::failed;
    case connection_reader::outcome::drained:
        if (!(at_.wraps && at_.stream.pending())) return step::drained;
        break;
    case connection_reader::outcome::more:
    case connection_reader::outcome::hand_over: break;
    }
    return at_.worker.slice_is_over() ? step::pause : step::again;
}

// True: the application has enough large messages; it is looked at again in a moment.
bool receive_path::pauses() noexcept
{
    const pipe::lane_writer& lane = at_.end->writer;
    const auto much_in_use = [] { return message::body_pool::in_use() > message::body_pool::most_kept; };
    if (!throttle_.wants_pause(lane.large_bytes_unread(), lane.large_bytes_read(), much_in_use, runtime::clock::now)) {
        return false;
    }
    state_ = state::throttled;
    at_.interest.change_and_rearm(0, runtime::events::readable);
    at_.end->parent().io.read_token.give_back();
    // If memory is short, the rest is over in the next round.
    if (!pause_timer_.start_after(load::limits::read_throttle::look_after, [this] { owner_.on_pause_over(); })) {
        at_.end->notify(pipe::event_inline_stop);
    }
    return true;
}

// True: the socket does not read this peer any more. The token stays here, so that no application reads either.
// Messages left to write still go out, and the end of a peer that leaves before is seen.
bool receive_path::detaches() noexcept
{
    if (!at_.end->parent().io.is_muted()) return false;
    rejected_ = true;
    state_ = state::detached;
    ask_for_input(false);
    return true;
}

void receive_path::note_rejected() noexcept
{
    invariant([this] { return at_.on_worker(); });
    rejected_ = true;
    if (state_ != state::lane_full) return;
    state_ = state::detached;
    ask_for_input(false);
}

// Interest is set while the token is still held, so that the next holder finds it as it expects.
void receive_path::ask_for_input(bool drained) noexcept
{
    if (state_ == state::lane_full && rejected_) state_ = state::detached;
    switch (state_) {
    case state::open:
        at_.interest.ask_for_input(drained);
        if (at_.wraps && at_.stream.pending()) at_.interest.requeue();
        break;
    case state::lane_full: at_.interest.change_and_rearm(0, runtime::events::readable); break;
    case state::detached: at_.interest.change_and_rearm(runtime::events::ended, runtime::events::readable); break;
    case state::throttled: break;  // pauses() has done that
    }
}

bool receive_path::take_up_mark() noexcept
{
    if (!mark_changed_) return false;
    if (!at_.end->parent().io.read_token.take_or_ask()) {
        at_.end->peer().notify(pipe::event_token);
        return false;
    }
    take_up_mark_now();
    return true;
}

void receive_path::take_up_mark_now() noexcept
{
    invariant([this] { return at_.worker_reads(); });
    mark_changed_ = false;
    if (at_.end->writer.apply_requested_hwm()) at_.end->peer().notify(pipe::event_hwm);
}

}  // namespace zlink::engine
