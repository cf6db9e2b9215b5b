// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The data that patterns, and the routing strategies that they are composed of, keep about a pipe.
#pragma once

#include "pipe/pipe.hpp"

#include <cstdint>
#include <string>

namespace zlink::pattern {

/// Used by the socket's thread only. Every pipe that is attached to a pattern has one at its end. One idea: the notes
/// of a pattern and its strategies about a pipe; each note has one owner, and none follows from another.
struct routing_record : pipe::end_record {
    std::uint32_t fair_queue_index = 0;
    std::uint32_t balancer_index = 0;
    std::uint32_t fan_out_index = 0;
    bool identified = false;
    bool draining = false;            ///< in a fair_queue that was told that the peer has left
    bool peer_is_socket = false;      ///< the other party is a socket; of pipes of a fan_out
    bool rejected = false;            ///< the pattern has no place for this peer; see pattern::attach
    bool place_was_left = false;      ///< rejected, but the holder of its place had left before it came
    bool locally_connected = false;   ///< by zmq_connect of this socket
    std::string routing_id;           ///< peer's (or generated), as ROUTER shows it
    std::uint32_t number = 0;         ///< the peer's, as SERVER shows it; 0: of other types
    std::uint64_t subscribed_at = 0;  ///< a publisher: the number of the peer's message that subscribed last, from 1 on
    std::uint64_t lost_at = 0;  ///< how many messages there were when the connection was lost last; 0: it never was

    /// A peer that comes again subscribes again. Its messages are counted, as they may be taken before it is told that
    /// the connection was lost.
    [[nodiscard]] bool has_subscribed_again() const noexcept { return lost_at == 0 || subscribed_at > lost_at; }
};

[[nodiscard]] inline routing_record& routing_of(const pipe::pipe_end& end) noexcept
{
    return static_cast<routing_record&>(*end.record);
}

}  // namespace zlink::pattern
