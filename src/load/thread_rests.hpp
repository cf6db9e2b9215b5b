// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether a thread has time for writes of its own. One that rests between its messages has. One that never does sets the pace of
// its program: what an I/O thread writes for it on another core is time won. There is another core only if nothing takes the thread's own
// one: an I/O thread that shares it comes after a time slice, and the messages with it.
//
// It is won only where the write costs the thread more than to tell the I/O thread, which both wake somebody up, and a part of its time
// that counts.
//
// A rest is a look for input that finds none, or a sleep, whatever for. The kernel counts a thread's sleeps, and its preemptions.
#pragma once

#include "load/counters.hpp"
#include "load/limits.hpp"

#include <algorithm>
#include <chrono>

namespace zlink::load {

/// How often a thread has lost its processor so far.
struct thread_switches {
    long sleeps = 0;       ///< it has waited for something
    long preemptions = 0;  ///< another one was to run
};

/// One thread's. Times are handed in.
class thread_rests {
public:
    using time_point = std::chrono::steady_clock::time_point;

    /// The thread finds nothing to receive.
    void note() noexcept { noted_ = true; }

    /// `switches()`: the thread's, which may be a system call.
    template <class Switches>
    [[nodiscard]] bool allow_write(time_point now, Switches switches) noexcept
    {
        const auto gap = now - asked_;
        asked_ = now;
        if (noted_) return rested(now);
        if (write_time_ <= telling_time_ || write_time_ * limits::rests::small_part < gap) return true;
        if (now - last_ <= limits::rests::busy_after) return true;
        const thread_switches before = seen_;
        seen_ = switches();
        if (seen_.preemptions != before.preemptions) preempted_ = now;
        if (seen_.sleeps != before.sleeps) return rested(now);
        if (now - preempted_ < limits::rests::shares_core_for) return true;
        count(rule::own_write_busy);
        return false;
    }

    /// A write has taken so long; to tell a sleeping I/O thread has.
    void wrote(std::chrono::nanoseconds took) noexcept { weigh(write_time_, took); }
    void told(std::chrono::nanoseconds took) noexcept { weigh(telling_time_, took); }

private:
    static void weigh(std::chrono::nanoseconds& average, std::chrono::nanoseconds took) noexcept
    {
        average += (std::min<std::chrono::nanoseconds>(took, limits::sends::longest_write_time) - average) / weight;
    }
    bool rested(time_point now) noexcept
    {
        noted_ = false;
        last_ = now;
        return true;
    }

    static constexpr int weight = 8;  ///< of what was, against the last

    std::chrono::nanoseconds write_time_{};    ///< on average
    std::chrono::nanoseconds telling_time_{};  ///< the same
    time_point asked_{};                       ///< last
    time_point last_{};                        ///< rest
    time_point preempted_{};                   ///< when that was seen last
    thread_switches seen_{-1, 0};              ///< when they were asked for last
    bool noted_ = false;                       ///< a rest, since last_
};

/// The calling thread's.
[[nodiscard]] inline thread_rests& rests_of_this_thread() noexcept
{
    constinit static thread_local thread_rests rests;
    return rests;
}

}  // namespace zlink::load
