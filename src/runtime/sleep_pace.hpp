// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How closely the sleeps of a thread follow each other. Sleeps that follow each other closely wait for messages, and
// cost as little as they can. To heed signals takes two to four system calls more. If the caller gave no end, to end a
// sleep takes a timer. If such a sleep misses a signal, the next message makes up for that.
//
// One thread, except that threads without memory for a waiter share one; therefore the members are atomic. Times are
// handed in.
#pragma once

#include <atomic>
#include <cstdint>

namespace zlink::runtime {

enum class pace : std::uint8_t {
    rested,   ///< the thread has not slept for some milliseconds: it heeds signals at any price
    steady,   ///< a sleep heeds signals only if it turns out to be a long one
    hurried,  ///< the same, and only if the caller gave an end
};

class sleep_pace {
public:
    static constexpr std::int64_t rest_ms = 5;
    /// More sleeps than this within a tick of the coarse clock (1 to 10 ms) hurry.
    static constexpr std::uint32_t many = 40;

    /// A sleep begins, at `now_ms` of the coarse clock.
    [[nodiscard]] pace next(std::int64_t now_ms) noexcept
    {
        const std::int64_t last_ms = last_ms_.load(std::memory_order_relaxed);
        const std::uint32_t sleeps = sleeps_.load(std::memory_order_relaxed);
        if (now_ms != last_ms) {
            last_ms_.store(now_ms, std::memory_order_relaxed);
            sleeps_before_.store(sleeps, std::memory_order_relaxed);
            sleeps_.store(1, std::memory_order_relaxed);
            if (now_ms - last_ms >= rest_ms) return pace::rested;
        } else {
            sleeps_.store(sleeps + 1, std::memory_order_relaxed);
        }
        return sleeps > many || sleeps_before_.load(std::memory_order_relaxed) > many ? pace::hurried : pace::steady;
    }

    /// The next sleep is a thread's first.
    void begin() noexcept
    {
        last_ms_.store(never, std::memory_order_relaxed);
        sleeps_.store(0, std::memory_order_relaxed);
    }

private:
    static constexpr std::int64_t never = -1'000'000;
    std::atomic<std::int64_t> last_ms_{never};     ///< the tick of the last sleep
    std::atomic<std::uint32_t> sleeps_{0};         ///< within that tick
    std::atomic<std::uint32_t> sleeps_before_{0};  ///< within the last tick before that had any
};

}  // namespace zlink::runtime
