// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/server.hpp"

#include "message/frame.hpp"

#include <new>

namespace zlink::pattern {

errc server::send(const pipe::outgoing& frame)
{
    if (frame.more) return errc::invalid_argument;
    pipe::pipe_end* const peer = frame.msg ? peers_.find(frame.msg->routing_id()) : nullptr;
    if (!peer) return errc::host_unreachable;
    if (!peer->writer.has_room_or_wait()) return errc::again;
    if (!peer->writer.write(frame)) [[unlikely]]
        return errc::out_of_memory;
    peer->publish();
    return errc::none;
}

bool server::attach(pipe::pipe_end& end, const attachment& how)
{
    if (!peers_.add(end)) return false;
    routing_of(end).locally_connected = how.locally_connected;
    if (how.locally_connected) last_connected_ = routing_of(end).number;
    return true;
}

errc server::disconnect_peer(std::uint32_t number)
{
    pipe::pipe_end* const peer = peers_.find(number);
    if (!peer) return errc::host_unreachable;
    peers_.remove(*peer);
    host_.give_up(*peer);
    return errc::none;
}

void server::on_peer_drained(pipe::pipe_end& end)
{
    if (!disconnect_message_.empty() && !routing_of(end).locally_connected) peers_.tell(end, disconnect_message_);
    host_.give_up(end);
}

void server::options_changed(const pattern_options& options)
{
    try {
        disconnect_message_ = options.disconnect_message;
    } catch (const std::bad_alloc&) {
        // The message could not be copied; the old one stays.
    }
}

}  // namespace zlink::pattern
