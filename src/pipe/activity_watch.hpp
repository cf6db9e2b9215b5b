// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// An application leaves something for later (a parked read token, messages held back) because it will be back at once.
// An I/O thread looks now and then whether it was back. While the application keeps coming, each time costs it one
// atomic increment and one load. A look costs the I/O thread one load. Neither makes a system call.
//
//   application: leaves it, counts (A), loads watched_ (B). Not watched: sets it and tells the I/O thread.
//   I/O thread:  count unchanged for long enough: clears watched_ (C), takes the things left, loads the count (D).
//                Changed: goes on watching.
//
// A and B, C and D are a Dekker pair, all sequentially consistent. If D misses A, then B sees C, and the I/O thread is
// told.
#pragma once

#include "base/invariant.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

namespace zlink::pipe {

class activity_watch {
public:
    /// Application, after it has left something. True: tell the I/O thread to watch.
    [[nodiscard]] bool note() noexcept
    {
        count_.fetch_add(1, std::memory_order_seq_cst);
        return !watched_.load(std::memory_order_seq_cst) && !watched_.exchange(true, std::memory_order_seq_cst);
    }
    /// Application: how long it may stay away before that counts. A look that still uses the earlier time does no harm.
    void allow(std::chrono::microseconds time) noexcept
    {
        invariant([time] { return time.count() >= 0 && time.count() <= std::numeric_limits<std::uint32_t>::max(); });
        if (allowed() != time) allowed_us_.store(std::uint32_t(time.count()), std::memory_order_relaxed);
    }

    // I/O thread

    /// The time that the application has allowed itself last.
    [[nodiscard]] std::chrono::microseconds allowed() const noexcept
    {
        return std::chrono::microseconds(allowed_us_.load(std::memory_order_relaxed));
    }

    /// Begins to watch, told to or not. (For a new connection: an application that left something with the last one
    /// counts as having told.)
    void begin() noexcept { seen_ = count_.load(std::memory_order_relaxed); }
    /// Whether the application has been here since the last look.
    [[nodiscard]] bool back() noexcept
    {
        const std::uint32_t now = count_.load(std::memory_order_relaxed);
        const bool changed = now != seen_;
        seen_ = now;
        return changed;
    }
    /// The application has told the I/O thread since watching ended last.
    [[nodiscard]] bool watched() const noexcept { return watched_.load(std::memory_order_relaxed); }
    /// Stops watching. Next the caller takes the things left, and calls resumed().
    void end() noexcept { watched_.store(false, std::memory_order_seq_cst); }
    /// True: the application was here while watching ended, and has not told: go on.
    [[nodiscard]] bool resumed() noexcept
    {
        return count_.load(std::memory_order_seq_cst) != seen_ && !watched_.exchange(true, std::memory_order_seq_cst);
    }

private:
    std::atomic<std::uint32_t> count_{0};          ///< how often something was left; partner: watched_
    std::atomic<bool> watched_{false};             ///< the I/O thread looks at count_; partner: count_
    std::atomic<std::uint32_t> allowed_us_{1000};  ///< a hint: an old value makes a look come too early or too late
    std::uint32_t seen_ = 0;                       ///< the I/O thread's
};

}  // namespace zlink::pipe
