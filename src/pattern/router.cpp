// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/router.hpp"

#include "base/probes.hpp"
#include "pattern/routing/whole_message.hpp"

#include <new>
#include <utility>

namespace zlink::pattern {

namespace {

constexpr int notify_connect = 1;
constexpr int notify_disconnect = 2;

}  // namespace

// Takes the first frame: the routing id of the receiver.
errc router::address(const pipe::outgoing& frame)
{
    if (!frame.more) return errc::none;
    pipe::pipe_end* peer = peers_.find({reinterpret_cast<const char*>(frame.data), frame.size});
    if (peer && peer->peer_has_left()) peer = nullptr;  // though this socket has not been told yet
    if (!peer) {
        if (options_.router_mandatory) return errc::host_unreachable;
        host_.on_dropped(drop_reason::unroutable);
    } else if (waits_when_full()) {
        if (!peer->writer.has_room_or_wait()) return errc::again;
    } else if (!peer->writer.has_room() && !host_.await_room(*peer)) {
        peer->no_room.add(1);
        probes::drop(probes::drop_cause::full);
        peer = nullptr;
    }
    out_ = peer;
    addressed_ = true;
    return errc::none;
}

errc router::send(const pipe::outgoing& frame)
{
    if (!addressed_) return address(frame);
    const bool more = frame.more && !options_.router_raw;
    addressed_ = more;
    if (!out_) return errc::none;
    if (options_.router_raw && frame.size == 0) [[unlikely]] {
        pipe::pipe_end& end = *std::exchange(out_, nullptr);
        peers_.remove(end);
        host_.give_up(end);
        return errc::none;
    }
    if (!out_->writer.write({frame.data, frame.size, more, frame.msg})) [[unlikely]] {
        std::exchange(out_, nullptr)->writer.rollback();
        addressed_ = false;
        return errc::out_of_memory;
    }
    if (!more) std::exchange(out_, nullptr)->publish();
    return errc::none;
}

bool router::attach(pipe::pipe_end& end, const attachment& how)
{
    routing_of(end).locally_connected = how.locally_connected;
    if (!how.connect_routing_id.empty()) {
        routing_of(end).rejected = peers_.find(how.connect_routing_id) != nullptr;
        if (routing_of(end).rejected || !add(end, how.connect_routing_id)) return false;
    } else if (how.identified && !name(end, how.routing_id, how.came_at)) {
        return false;
    }
    if (routing_of(end).rejected) return true;
    if (options_.probe_router) routing::write_whole(end, {});
    if (how.identified) tell_connected(end);
    return true;
}

void router::identified(pipe::pipe_end& end, const std::string& routing_id)
{
    if (!routing_of(end).identified && !name(end, routing_id, pipe::not_yet)) throw std::bad_alloc();
    if (!routing_of(end).rejected) tell_connected(end);
}

// An empty name requests a generated one. False when memory is short.
bool router::add(pipe::pipe_end& end, const std::string& routing_id) noexcept
{
    try {
        return peers_.add(end, routing_id.empty() ? peers_.new_name() : routing_id);
    } catch (const std::bad_alloc&) {
        return false;
    }
}

// Refuses the pipe if another peer has that name and keeps it. False: memory is short.
bool router::name(pipe::pipe_end& end, const std::string& routing_id, std::uint64_t came_at)
{
    routing_of(end).rejected = false;
    if (options_.router_raw) return add(end, {});
    if (pipe::pipe_end* gone = peers_.find(routing_id); gone && gone->peer_left_at() < came_at)
        router::on_peer_closed(*gone);
    if (pipe::pipe_end* holder = peers_.find(routing_id)) {
        if (!options_.router_handover) {
            reject(end, *holder, came_at);
            return true;
        }
        stop_sending(*holder);
        peers_.take_over_messages(*holder);
        peers_.remove(*holder);
        host_.give_up(*holder);
    }
    return add(end, routing_id);
}

void router::options_changed(const pattern_options& options)
{
    try {
        options_ = options;
    } catch (const std::bad_alloc&) {
        // Only the text of a message could not be copied; an old or empty one takes its place.
    }
}

result<pattern::peer_state> router::state_of(std::string_view routing_id)
{
    pipe::pipe_end* const peer = peers_.find(routing_id);
    if (!peer || peer->peer_has_left()) return errc::host_unreachable;
    return peer_state{peer->writer.has_room_for_next_or_wait(), peer->reader.readable()};
}

void router::tell_connected(pipe::pipe_end& end)
{
    const bool wanted = options_.router_raw ? options_.stream_notify : (options_.router_notify & notify_connect) != 0;
    if (wanted) peers_.tell(end, {});
}

void router::tell_disconnected(pipe::pipe_end& end)
{
    const bool wanted =
        options_.router_raw ? options_.stream_notify : (options_.router_notify & notify_disconnect) != 0;
    if (!wanted) return;
    peers_.take_over_messages(end);
    peers_.tell(end, {});
}

void router::on_disconnected(pipe::pipe_end& end)
{
    if (routing_of(end).identified) tell_disconnected(end);
}

// The rest of a message that is on its way to this pipe is swallowed.
void router::stop_sending(const pipe::pipe_end& end) noexcept
{
    if (out_ == &end) std::exchange(out_, nullptr)->writer.rollback();
}

void router::on_peer_closed(pipe::pipe_end& end)
{
    stop_sending(end);
    if (routing_of(end).identified) {
        peers_.on_peer_closed(end);
    } else {
        host_.give_up(end);
    }
}

void router::on_peer_drained(pipe::pipe_end& end)
{
    stop_sending(end);
    if (!options_.disconnect_message.empty() && !routing_of(end).locally_connected) {
        peers_.tell(end, options_.disconnect_message);
    }
    tell_disconnected(end);
    host_.give_up(end);
}

void router::detach(pipe::pipe_end& end)
{
    stop_sending(end);
    peers_.remove(end);
}

}  // namespace zlink::pattern
