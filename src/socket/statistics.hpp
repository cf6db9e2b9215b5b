// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What other threads are told of a socket and its peers: values of one moment.
#pragma once

#include "base/socket_types.hpp"
#include "pipe/lane_traffic.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace zlink::socket {

/// Of one peer, or of all that a socket has had.
struct message_counts {
    pipe::traffic sent;      ///< into the peer's queue
    pipe::traffic received;  ///< out of the queue of the peer's messages
    pipe::traffic queued_out;
    pipe::traffic queued_in;
    std::uint64_t no_room = 0;   ///< not sent, or refused when they came, as the queue was full
    std::uint64_t replaced = 0;  ///< sent or come, and gave way to a newer one
    std::uint64_t unwanted = 0;  ///< received, and not given to the program
    std::uint64_t reads = 0;     ///< system calls
    std::uint64_t writes = 0;

    message_counts& operator+=(const message_counts& more) noexcept
    {
        sent += more.sent;
        received += more.received;
        queued_out += more.queued_out;
        queued_in += more.queued_in;
        no_room += more.no_room;
        replaced += more.replaced;
        unwanted += more.unwanted;
        reads += more.reads;
        writes += more.writes;
        return *this;
    }
};

/// One idea: the answers to independent questions about a socket.
struct socket_statistics {
    std::uint64_t number = 0;  ///< in the order of creation in this process, from 1
    socket_type type = socket_type::pair;
    std::string name;
    std::chrono::milliseconds age{0};
    message_counts messages;
    std::uint64_t no_peer = 0;  ///< the next four: messages that were not sent, or not received, for that reason
    std::uint64_t no_match = 0;
    std::uint64_t unroutable = 0;
    std::uint64_t unsent = 0;
    std::uint64_t unread = 0;
    std::uint64_t waits = 0;  ///< sends that have slept until there was room
    std::uint64_t held = 0;   ///< the next four: see load::socket_counts
    std::uint64_t held_late = 0;
    std::uint64_t pauses = 0;
    std::uint64_t io_waits = 0;
    std::uint64_t cap = 0;  ///< the next three: of the context, see pipe::queue_cap
    std::uint64_t cap_queued = 0;
    std::uint64_t cap_waits = 0;
    std::uint64_t shared_sent = 0;  ///< bodies by shared memory; the next three: see shm::budget
    std::uint64_t shared_received = 0;
    std::uint64_t shared_made = 0;
    std::uint64_t shared_taken = 0;
    std::uint64_t connects = 0;
    std::uint64_t reconnects = 0;
    std::uint64_t disconnects = 0;
    std::uint64_t failed_connects = 0;
    std::uint64_t failed_handshakes = 0;  ///< all, with the next two
    std::uint64_t protocol_errors = 0;
    std::uint64_t refused = 0;
    std::uint64_t silences = 0;  ///< connections that were ended, as the peer did not answer heartbeats
    std::string last_error;
};

struct peer_statistics {
    std::string endpoint;  ///< of this socket
    std::string address;   ///< the end of the connection that the endpoint does not name
    std::string routing_id;
    std::string user_id;
    const char* mechanism = "";
    bool connected = false;
    std::chrono::microseconds round_trip{0};  ///< 0: not known
    std::string last_error;                   ///< of a connected endpoint
    message_counts messages;
};

}  // namespace zlink::socket
