// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Runs one cell: starts its peers, brings them together, watches them, and judges the outcome.
#pragma once

#include "demo/cell.hpp"
#include "demo/child.hpp"
#include "demo/tally.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace zlink::tool::demo {

struct cell_result {
    demo::cell cell;
    tally sender;
    tally receiver;
    std::string sender_library;  // version and path, as the peer itself found them
    std::string receiver_library;
    std::string problem;  // empty when all is right

    std::uint64_t sent() const { return sender.sent + receiver.sent; }
    std::uint64_t received() const { return sender.received + receiver.received; }
    std::uint64_t lost() const { return sent() > received() ? sent() - received() : 0; }
    std::uint64_t damaged() const { return sender.damaged + receiver.damaged; }
    std::uint64_t misplaced() const { return sender.misplaced + receiver.misplaced; }
    double rate() const
    {
        return receiver.burst_seconds > 0 ? double(receiver.burst_messages) / receiver.burst_seconds : 0;
    }
    bool right() const { return problem.empty(); }
};

struct run_settings {
    std::string own_program;      // zlink
    std::string foreign_program;  // zlink_demo_peer
    std::string folder;           // for ipc sockets
    std::string corpus;
    std::uint64_t paced = 200;
    std::uint64_t burst = 0;  // messages; 0: by time
    double burst_seconds = 0.5;
    int stall_ms = 5000;
};

// Called with the number of messages received so far while the cell runs.
using live_rate = std::function<void(std::uint64_t)>;

class director {
public:
    director(const run_settings& settings, const cell& experiment, const live_rate& watch);

    // Blocks until the cell is over or a stop is asked for. Never throws for what peers do: the result says it.
    cell_result run();

private:
    using clock = std::chrono::steady_clock;
    struct peer {
        const char* role;
        library runs_on;
        std::unique_ptr<child> process;
        std::string runs_library;  // as it reports itself
        tally counts;
        bool ready = false;
        bool done = false;
        clock::time_point heard = clock::now();
    };

    void start(peer& which, const char* role_argument, const std::string& endpoint);
    void listen();
    void hear(peer& which, const std::string& line);
    void note_progress(peer& which, std::uint64_t messages);
    std::string silence_of(const peer& which) const;
    void step();
    bool over() const;
    void finish();
    void check_counts();
    std::string name(const peer& which) const;
    peer& addressed(peer& from, std::string_view role);

    const run_settings& settings_;
    const live_rate& watch_;
    cell_result result_;
    peer sender_{"sender", library::zlink, nullptr, "", {}, false, false, clock::now()};
    peer receiver_{"receiver", library::zlink, nullptr, "", {}, false, false, clock::now()};
    bool together_;  // both roles in one process
    bool begun_ = false;
};

}  // namespace zlink::tool::demo
