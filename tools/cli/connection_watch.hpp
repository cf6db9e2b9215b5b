// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Watches the connections of a command's socket: says at once what was refused, and with --verbose everything.
#pragma once

#include "cli/refusal.hpp"

#include "support/socket_monitor.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace zlink::tool {

// Made before the socket binds or connects; outlives it. For the socket's thread.
class connection_watch {
public:
    // Hears of every event, with what the library has told of it ("ENDPOINT: words", or nothing).
    using listener = std::function<void(const connection_event&, peer_kind, const own_side&, const std::string& note)>;

    struct settings {
        std::vector<std::string> connect;  // endpoints the socket connects to
        bool listens = false;
        bool verbose = false;
        listener told = {};  // if there is one, the watch says nothing itself
    };
    connection_watch(const context& owner, socket& watched, settings wanted);

    // To be called when the socket's options are set: refusals are explained by its security.
    void configured();

    // To be polled: read() has something to do.
    void* handle() const noexcept { return monitor_.handle(); }

    // Takes in what has been reported. A refusal that leaves no peer to hope for is kept for verdict(); others are
    // said.
    void read();

    // Every endpoint has refused for good and the socket doesn't listen: nothing can be sent or received any more.
    bool hopeless() const noexcept { return !verdict_.empty(); }

    // Why, as one line without an end; empty while there is hope.
    const std::string& verdict() const noexcept { return verdict_; }

    // Some peer completed its handshake (or, without one, its connection).
    bool ever_connected() const noexcept { return ever_connected_; }

    // Each peer of a stream has failed a handshake of TLS: what was sent before that is lost.
    bool broke_streams() const noexcept;

    // The exit status has to tell: an endpoint refused, or nobody but refused peers came.
    bool refused() const noexcept { return !refused_.empty() || (!visitors_.empty() && !ever_connected_); }

    // What is known about why nothing moves, to be put behind a complaint: "; ..." or nothing.
    std::string hint() const;

    // All connections of the closed socket are gone.
    bool ended() const noexcept { return monitor_.ended(); }
    bool ends_when_sent() const noexcept { return monitor_.ends_when_sent(); }

    // See socket_monitor.
    std::optional<queue_sizes> queues() { return monitor_.queues(); }

private:
    struct peer {
        bool handshake_in_progress = false;  // connected, handshake under way
        bool established = false;            // had a handshake once: it speaks ZMTP
        int breaks = 0;                      // handshakes broken off since
        std::string trouble;                 // of the last one
        std::string obstacle;                // that it cannot be connected to now
    };
    void take(const connection_event& event);
    void take_refusal(const connection_event& event, peer_kind kind, const std::string& note);
    void take_visitor(const connection_event& event, const std::string& note);
    void take_news(const connection_event& event, peer& named, const std::string& note);
    void take_news_of_stream(const connection_event& event, peer& named, const std::string& note);
    void meet_obstacle(peer& named, const std::string& note);
    void count_break(const std::string& endpoint, const std::string& line, bool final);
    void say_once(const std::string& obstacle);
    void say_line(const std::string& line) const;
    void say_verbosely(const connection_event& event, const std::string& note) const;

    settings settings_;
    socket& watched_;
    own_side self_;
    bool handshakes_;  // STREAM has none
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::map<std::string, peer> peers_;  // by endpoint connected to
    std::set<std::string> refused_;
    std::set<std::string> obstacles_;   // said
    std::set<std::string> unfit_;       // why raw visitors went: each is said once
    std::set<std::uint64_t> visitors_;  // causes of refused ones: each is said once
    std::string verdict_;
    bool ever_connected_ = false;
    bool tries_again_ = true;  // what could not be connected to
    socket_monitor monitor_;
};

}  // namespace zlink::tool
