// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether a thread has time for own writes. A thread that waits between its messages has time. A thread that never
// waits sets the pace of its program. If an I/O thread writes for it on another core, it gains time. On the same core
// the I/O thread writes several messages at once.
//
// The thread gains only if the write costs more than telling the I/O thread, and a considerable part of its time. (Both
// wake another thread.) If messages for several peers go out together, all their writes count: the I/O thread is told
// once.
//
// A wait is one for input, or a sleep for any reason. The kernel counts a thread's sleeps.
#pragma once

#include "load/counters.hpp"
#include "load/limits.hpp"
#include "load/own_writes.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace zlink::load {

/// One for each thread. The caller passes the times.
class thread_waits {
public:
    using time_point = std::chrono::steady_clock::time_point;

    /// The thread waits for input.
    void note() noexcept { noted_ = true; }

    /// Whether the thread should write to `peers` peers itself. `sleeps()`: the number of the thread's sleeps so far; may
    /// be a system call.
    template <class Sleeps>
    [[nodiscard]] bool allow_write(time_point now, std::uint32_t peers, Sleeps sleeps) noexcept
    {
        const auto gap = now - asked_;
        asked_ = now;
        if (noted_) return waited(now);
        const auto writes = peers * write_time_;
        if (writes <= telling_time_ || writes * limits::waits::small_part < gap) return true;
        if (now - last_ <= limits::waits::busy_after) return true;
        const long before = seen_;
        seen_ = sleeps();
        if (seen_ != before) return waited(now);
        count(rule::own_write_busy);
        return false;
    }

    /// A write has taken `took`; told(): to tell a sleeping I/O thread has.
    void wrote(std::chrono::nanoseconds took) noexcept { weigh(write_time_, took); }
    void told(std::chrono::nanoseconds took) noexcept { weigh(telling_time_, took); }

private:
    static void weigh(std::chrono::nanoseconds& average, std::chrono::nanoseconds took) noexcept
    {
        average += (std::min<std::chrono::nanoseconds>(took, limits::sends::longest_write_time) - average) / weight;
    }
    bool waited(time_point now) noexcept
    {
        noted_ = false;
        last_ = now;
        return true;
    }

    static constexpr int weight = 8;  ///< of the earlier average, against the last value

    std::chrono::nanoseconds write_time_{};    ///< on average
    std::chrono::nanoseconds telling_time_{};  ///< the same
    time_point asked_{};                       ///< last
    time_point last_{};                        ///< wait
    long seen_ = -1;                           ///< the last result of sleeps()
    bool noted_ = false;                       ///< a wait, since last_
};

/// The calling thread's.
[[nodiscard]] inline thread_waits& waits_of_this_thread() noexcept
{
    constinit static thread_local thread_waits waits;
    return waits;
}

/// The calling thread has told an I/O thread something, which has taken `took`.
inline void note_telling_of_this_thread(std::chrono::nanoseconds took) noexcept
{
    row_of_this_thread().told(took);
    waits_of_this_thread().told(took);
}

/// The calling thread waits for input from here on: its next message is an answer.
inline void note_wait_of_this_thread() noexcept
{
    row_of_this_thread().note_wait();
    waits_of_this_thread().note();
}

}  // namespace zlink::load
