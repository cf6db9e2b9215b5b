// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/stream.hpp"

#include <new>
#include <utility>

namespace zlink::pattern {

errc stream::send(const pipe::outgoing& frame)
{
    if (!addressed_) {
        pipe::pipe_end* peer = nullptr;
        if (frame.more) {
            peer = peers_.find({reinterpret_cast<const char*>(frame.data), frame.size});
            if (!peer) return errc::host_unreachable;
            if (!peer->writer.has_room_or_wait()) return errc::again;
        }
        out_ = peer;
        addressed_ = true;
        return errc::none;
    }
    addressed_ = false;
    if (!out_) return errc::none;
    pipe::pipe_end& end = *std::exchange(out_, nullptr);
    if (frame.size == 0) {
        peers_.remove(end);
        host_.give_up(end);
        return errc::none;
    }
    if (!end.writer.write({frame.data, frame.size, false, frame.msg})) return errc::out_of_memory;
    end.publish();
    return errc::none;
}

bool stream::attach(pipe::pipe_end& end, const attachment& how)
{
    routing_of(end).locally_connected = how.locally_connected;
    try {
        const bool named = !how.connect_routing_id.empty();
        routing_of(end).rejected = named && peers_.find(how.connect_routing_id);
        if (routing_of(end).rejected) return false;
        if (!peers_.add(end, named ? how.connect_routing_id : peers_.new_name())) return false;
    } catch (const std::bad_alloc&) {
        return false;
    }
    if (how.identified) tell(end);
    return true;
}

void stream::identified(pipe::pipe_end& end, const std::string&)
{
    tell(end);
}

void stream::on_disconnected(pipe::pipe_end& end)
{
    peers_.take_over_messages(end);
    tell(end);
}

void stream::on_peer_closed(pipe::pipe_end& end)
{
    if (out_ == &end) out_ = nullptr;
    peers_.on_peer_closed(end);
}

void stream::on_peer_drained(pipe::pipe_end& end)
{
    if (out_ == &end) out_ = nullptr;
    tell(end);
    host_.give_up(end);
}

void stream::detach(pipe::pipe_end& end)
{
    if (out_ == &end) out_ = nullptr;
    peers_.remove(end);
}

}  // namespace zlink::pattern
