// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether a thread has time for writes of its own. One that rests between its messages has. One that never does sets the pace of
// its program: what an I/O thread writes for it on another core is time won, and on the same core that one writes several messages at once.
//
// It is won only where the write costs the thread more than to tell the I/O thread, which both wake somebody up, and a part of its time
// that counts.
//
// A rest is a wait for input, or a sleep, whatever for. The kernel counts a thread's sleeps.
#pragma once

#include "load/counters.hpp"
#include "load/limits.hpp"
#include "load/own_writes.hpp"

#include <algorithm>
#include <chrono>

namespace zlink::load {

/// One thread's. Times are handed in.
class thread_rests {
public:
    using time_point = std::chrono::steady_clock::time_point;

    /// The thread waits for input.
    void note() noexcept { noted_ = true; }

    /// `sleeps()`: the thread's so far, which may be a system call.
    template <class Sleeps>
    [[nodiscard]] bool allow_write(time_point now, Sleeps sleeps) noexcept
    {
        const auto gap = now - asked_;
        asked_ = now;
        if (noted_) return rested(now);
        if (write_time_ <= telling_time_ || write_time_ * limits::rests::small_part < gap) return true;
        if (now - last_ <= limits::rests::busy_after) return true;
        const long before = seen_;
        seen_ = sleeps();
        if (seen_ != before) return rested(now);
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
    long seen_ = -1;                           ///< sleeps, when they were asked for last
    bool noted_ = false;                       ///< a rest, since last_
};

/// The calling thread's.
[[nodiscard]] inline thread_rests& rests_of_this_thread() noexcept
{
    constinit static thread_local thread_rests rests;
    return rests;
}

/// The calling thread has told an I/O thread something, which has taken so long.
inline void note_telling_of_this_thread(std::chrono::nanoseconds took) noexcept
{
    row_of_this_thread().told(took);
    rests_of_this_thread().told(took);
}

/// The calling thread waits for input from here on: it rests, and what it sends next is an answer.
inline void note_wait_of_this_thread() noexcept
{
    row_of_this_thread().note_wait();
    rests_of_this_thread().note();
}

}  // namespace zlink::load
