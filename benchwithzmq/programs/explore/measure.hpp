// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Leads a workload through its phases and says what became of it.
#pragma once

#include "explore/board.hpp"
#include "explore/workload.hpp"

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace explore {

struct outcome {
    std::string reason;   // why it did not finish; empty if it did
    double seconds = 0;   // of the window that was measured
    double messages = 0;  // that arrived then, or answers
    double moved = 0;     // the mean of what was sent and what arrived then
    double cpu_ns = 0;    // of all processes then, without the workload's own computing
    double due = 0;       // messages of an open loop in the window
    double backlog = 0;   // at its end: due or sent, and not there yet
    double p50_ns = 0;
    double p99_ns = 0;
    std::uint64_t samples = 0;  // of latency
    std::uint64_t sent = 0;     // in all, deliveries
    std::uint64_t received = 0;
};

// `other`: the back's process, or 0. Returns when all that was sent has arrived, or no more comes.
[[nodiscard]] outcome measure(const workload& of, board& with, pid_t other);

void print(const workload& of, const outcome& seen);

// What tell_timeout() tells of. Async-signal-safe.
void watch_over(const board& with);
void tell_timeout();

}  // namespace explore
