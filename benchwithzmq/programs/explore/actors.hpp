// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What the threads of a workload do. Each returns when the load has stopped (fronts) or the context ends (backs).
#pragma once

#include "explore/board.hpp"
#include "explore/workload.hpp"

#include <cstdint>
#include <vector>

namespace explore {

// The sockets of one thread.
struct post {
    unsigned thread;  // 0, 1, .. of its side
    std::vector<void*> sockets;
    std::vector<unsigned> numbers;  // of these sockets on their side
    void* guest;                    // an idle socket for the poll, or null
};

// When message i of all is due: bursts of `burst`, `rate` a second.
class timetable {
public:
    timetable(const workload& of, std::uint64_t start) : start_(start), burst_(of.burst), gap_ns_(1e9 / of.rate) {}

    [[nodiscard]] std::uint64_t due(std::uint64_t message) const
    {
        const std::uint64_t turn = message / burst_ * burst_;
        return start_ + static_cast<std::uint64_t>(static_cast<double>(turn) * gap_ns_);
    }
    [[nodiscard]] double due_by(std::uint64_t time) const
    {
        return time <= start_ ? 0 : static_cast<double>(time - start_) / gap_ns_;
    }

private:
    std::uint64_t start_;
    std::uint64_t burst_;
    double gap_ns_;
};

// A thread never sleeps for less: above 20,000 a second it sends at each turn what has become due.
constexpr std::uint64_t shortest_turn_ns = 50'000;

// Until the window that is measured begins.
void await_start(const board& with);

// Computes for about so long: the same instructions on both libraries, whatever the clock says. Its CPU time goes to
// `mine`.
void compute(unsigned us, tally& mine);

void send_one_way(const workload& of, board& with, const post& at);
void ask(const workload& of, board& with, const post& at);
void take_in(const workload& of, board& with, const post& at);

}  // namespace explore
