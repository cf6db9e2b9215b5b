// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The loop of zlink proxy. It isn't zmq_proxy, which could not tell what was dropped on the way.
#pragma once

#include "cli/connection_watch.hpp"
#include "cli/forwarding.hpp"
#include "cli/message_sender.hpp"

#include "support/failure.hpp"
#include "support/socket.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace zlink::tool {

// A socket of the proxy with its watch, which has to be there before endpoints are opened.
struct proxy_side {
    proxy_side(const context& owner, int type, connection_watch::settings wanted);

    int type;
    socket own;
    connection_watch watch;
};

// Passes messages on in each direction that the socket types allow, until a stop is asked for.
class proxy_loop {
public:
    // `capture` may be null.
    proxy_loop(proxy_side& frontend, proxy_side& backend, proxy_side* capture, bool quiet);

    // Runs, closes the sockets, and says what was lost.
    exit_status run();

private:
    using clock = std::chrono::steady_clock;

    std::vector<proxy_side*> sides();
    bool hopeless();
    void sleep();
    void tick();
    std::uint64_t forwarded() const;
    std::uint64_t bytes() const;
    exit_status finish();

    proxy_side& frontend_;
    proxy_side& backend_;
    proxy_side* capture_;
    bool quiet_;
    bool live_;
    std::optional<message_sender> copies_;
    std::optional<forwarding> forth_;  // frontend to backend
    std::optional<forwarding> back_;
    clock::time_point shown_ = clock::now();
    std::uint64_t shown_messages_ = 0;
    std::uint64_t shown_bytes_ = 0;
};

}  // namespace zlink::tool
