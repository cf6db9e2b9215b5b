// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A socket's record of each of its pipes.
#pragma once

#include "pattern/routing_record.hpp"
#include "socket/account_entry.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace zlink::socket {

struct endpoint_record;

/// The place of a pipe in its socket's pipe_book.
enum class pipe_place : std::uint8_t { none, open, rejected };

/// Whether a peer is at the other end, and its kind.
enum class pipe_link : std::uint8_t {
    to_connection,  ///< there is no peer that is through its handshake
    connected,
    to_name,  ///< of a socket that is not there
    joined,   ///< with a socket
};

[[nodiscard]] constexpr bool has_peer(pipe_link link) noexcept
{
    return link == pipe_link::connected || link == pipe_link::joined;
}

[[nodiscard]] constexpr pipe_link changed(pipe_link link, bool has_peer) noexcept
{
    const bool in_process = link == pipe_link::to_name || link == pipe_link::joined;
    if (in_process) return has_peer ? pipe_link::joined : pipe_link::to_name;
    return has_peer ? pipe_link::connected : pipe_link::to_connection;
}

struct pipe_record final : pattern::routing_record {
    pipe_place place = pipe_place::none;  ///< this and the next three are pipe_book's
    bool given_up = false;
    pipe_link link = pipe_link::to_connection;
    std::uint32_t socket_index = 0;  ///< in the list of its place
    std::uint32_t given_up_index = 0;
    std::uint64_t endpoint_id = 0;               ///< the bind or connect that made this pipe
    endpoint_record* endpoint = nullptr;         ///< endpoint_table's: the connect, as long as it is in the book
    pipe::pipe_end* next_of_endpoint = nullptr;  ///< endpoint_table's
    std::uint64_t peer_sndhwm = 0;  ///< between two sockets: the other side's share of the joint high-water marks
    std::uint64_t peer_rcvhwm = 0;
    bool peer_unlimited_out = false;
    bool peer_unlimited_in = false;
    account_entry account;
    std::string other_endpoint;  ///< the end of the connection that the socket's endpoint does not name
};

[[nodiscard]] inline pipe_record& record_of(const pipe::pipe_end& end) noexcept
{
    return static_cast<pipe_record&>(*end.record);
}

inline void note_peer(const pipe::pipe_end& end, bool is_there) noexcept
{
    record_of(end).link = changed(record_of(end).link, is_there);
}

/// As record_of(), for a pipe that may be new to the socket. May throw bad_alloc.
[[nodiscard]] inline pipe_record& record_for(pipe::pipe_end& end)
{
    if (!end.record) end.record = std::make_unique<pipe_record>();
    return record_of(end);
}

}  // namespace zlink::socket
