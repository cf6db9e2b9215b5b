// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether a thread that sends to a connection whose I/O thread sleeps writes itself, or tells that thread. A write of its own wakes
// nobody; in a flood the I/O thread's batches are better than a system call for each message. Writes that answer nothing are paid for by
// pauses of the thread: a short burst is written by its sender, as long as that takes no more than a part of the thread's time. Longer ones, to whatever
// peers, are left from their first message once they are expected: the I/O thread is told in any case, and one wake-up of it serves all of them. A
// thread that never pauses leaves the writing to the I/O threads.
#pragma once

#include "load/counters.hpp"
#include "load/expectation.hpp"
#include "load/limits.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace zlink::load {

/// What there is to know about a write that a thread could make.
struct own_write_facts {
    bool held = false;  ///< what was held back (send_policy.hpp): several messages, or one that was worth it before
    bool io_thread_awake = false;  ///< telling it costs no system call
    std::uint64_t received = 0;    ///< messages from this peer so far
};

/// One thread's writes, to whatever connections.
struct own_write_row {
    std::chrono::steady_clock::time_point last{};
    std::chrono::nanoseconds allowance{};  ///< time for those that answer nothing; below zero after the last of a burst
    bool has_waited = false;               ///< for input, at whatever socket, since a write was decided about
    unsigned burst = 0;                    ///< messages since the last pause, up to a limit
    expectation bursts{false};             ///< long ones come

    /// The thread waits for input from here on: what it sends next answers that, though another connection brought it.
    void note_wait() noexcept { has_waited = true; }

    /// A message, so long after `last`.
    void note_message(std::chrono::nanoseconds pause) noexcept
    {
        if (burst <= limits::own_writes::few) ++burst;
        if (pause <= limits::own_writes::gap) return;
        bursts.saw(burst > limits::own_writes::few, limits::own_writes::to_learn);
        burst = 0;
        allowance = std::min<std::chrono::nanoseconds>(allowance + pause / limits::own_writes::part_of_pauses,
                                                       limits::own_writes::most_allowance);
    }
};

/// The calling thread's.
[[nodiscard]] inline own_write_row& row_of_this_thread() noexcept
{
    constinit static thread_local own_write_row row;
    return row;
}

/// One connection's; whoever holds its write token. Times are handed in.
class own_writes {
public:
    using time_point = std::chrono::steady_clock::time_point;

    enum class verdict : std::uint8_t {
        write,
        write_in_row,  ///< wrote_in_row() comes behind it
        leave,         ///< to the I/O thread
    };

    [[nodiscard]] verdict decide(const own_write_facts& f, time_point now, own_write_row& row) noexcept
    {
        row.note_message(now - row.last);
        const bool heard = f.received != received_ || row.has_waited;
        const bool answers = heard && !f.io_thread_awake;
        const bool rare = !row.bursts && row.allowance > row.allowance.zero();
        received_ = f.received;
        row.has_waited = false;
        row.last = now;
        if (f.held || answers) return counted(rule::own_write, verdict::write);
        return rare ? counted(rule::own_write, verdict::write_in_row) : counted(rule::own_write_left, verdict::leave);
    }
    static void wrote_in_row(time_point now, own_write_row& row) noexcept
    {
        row.allowance -= std::min<std::chrono::nanoseconds>(now - row.last, limits::own_writes::longest_write_time);
        row.last = now;
    }

private:
    [[nodiscard]] static verdict counted(rule what, verdict v) noexcept
    {
        count(what);
        return v;
    }

    std::uint64_t received_ = 0;  ///< when a write was decided about last
};

}  // namespace zlink::load
