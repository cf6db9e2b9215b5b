// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a socket keeps about each of its pipes.
#pragma once

#include "pattern/routing_record.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace zlink::socket {

struct endpoint_record;

struct pipe_record final : pattern::routing_record {
    std::uint32_t socket_index = 0;              ///< in the socket's own list
    std::uint64_t endpoint_id = 0;               ///< the bind or connect that made this pipe
    endpoint_record* endpoint = nullptr;         ///< endpoint_book's: the connect, as long as it is in the book
    pipe::pipe_end* next_of_endpoint = nullptr;  ///< endpoint_book's
    std::uint64_t peer_sndhwm = 0;               ///< inproc: the other side's share of the joint high-water marks
    std::uint64_t peer_rcvhwm = 0;
    bool peer_unlimited_out = false;
    bool peer_unlimited_in = false;
    std::string other_endpoint;  ///< the end of the connection that the socket's endpoint does not name
};

[[nodiscard]] inline pipe_record& record_of(const pipe::pipe_end& end) noexcept
{
    return static_cast<pipe_record&>(*end.record);
}

/// As record_of(), for a pipe that may be new to the socket. May throw bad_alloc.
[[nodiscard]] inline pipe_record& record_for(pipe::pipe_end& end)
{
    if (!end.record) end.record = std::make_unique<pipe_record>();
    return record_of(end);
}

}  // namespace zlink::socket
