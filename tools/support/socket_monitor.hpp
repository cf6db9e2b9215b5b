// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What happens to a socket's connections, as the library's monitor tells it.
#pragma once

#include "support/socket.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace zlink::tool {

struct connection_event {
    std::uint64_t kind = 0;   // ZMQ_EVENT_CONNECTED and so on
    std::uint64_t value = 0;  // what it means depends on the kind
    std::string local;        // endpoints of the connection; either may be empty
    std::string remote;
    std::vector<std::pair<std::string, std::string>> properties;  // of ZMQ_EVENT_PEER_PROPERTIES
};

// Messages in the queues of all of a socket's connections.
struct queue_sizes {
    std::uint64_t out = 0;  // sent and not known to have left: more than half a high-water mark may have left already
    std::uint64_t in = 0;   // arrived and not received
};

// Reads the events of one socket, which it outlives. For the socket's thread.
class socket_monitor {
public:
    socket_monitor(const context& owner, socket& watched);

    // To be polled: events are there.
    void* handle() const noexcept { return reader_.handle(); }

    // The next event; nothing when there is none now.
    std::optional<connection_event> next();

    // What is queued now; nothing when the library can't tell. Before the socket is closed only.
    std::optional<queue_sizes> queues();

    // True once the last event has been read: the closed socket's last connection is gone.
    bool ended() const noexcept { return ended_; }

    // False on a library other than zlink, whose monitor may end before the queues are sent.
    bool ends_when_sent() const noexcept { return versioned_; }

private:
    std::optional<connection_event> read();

    socket& watched_;
    socket reader_;
    bool versioned_ = false;  // events of version 2, which name both ends
    bool ended_ = false;
    std::deque<connection_event> unread_;
    queue_sizes queues_;
};

// "connected to tcp://127.0.0.1:5555", for people.
std::string describe(const connection_event& event);

// What is known of the peer of a ZMQ_EVENT_PEER_PROPERTIES: "tcp://127.0.0.1:5555: is a PULL, mechanism NULL"; empty:
// nothing.
std::string describe_peer(const connection_event& event, const std::string& mechanism);

}  // namespace zlink::tool
