// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Counts the readings of a set of descriptors, so that other threads know whether all ready input has been dealt with.
// A reading lasts from the first poll of the set to the end of the last handler.
//
// A reading takes reports out of the set, and the set then looks as if nothing were ready. So the loop raises the count
// before it polls, and another thread loads the count before and after it looks at the set. If the count is even and
// the same both times, nothing was ready in between, and nothing was being dealt with. That store and those loads are
// sequentially consistent. So if a thread misses input that a poll has taken out, it sees that the reading has begun.
// Proof: io_thread in tests/model/wake_ups_test.cpp.
//
// A handler may leave input behind that the set does not report (octets that a stream over another one keeps). It says
// so before the reading ends: a thread that sees the end sees that, too.
#pragma once

#include "base/invariant.hpp"

#include <atomic>
#include <cstdint>

namespace zlink::runtime {

class readings {
public:
    // Loop's thread, which is the only writer

    void begin() noexcept
    {
        invariant([this] { return !under_way(count()); });
        count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
    }
    void end() noexcept
    {
        invariant([this] { return under_way(count()); });
        count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
    /// A handler has left input behind.
    void leave_input() noexcept { left_behind_.store(true, std::memory_order_seq_cst); }
    /// Handlers that had left input behind have been told, and `again` says whether they left some once more.
    void note_left_input_read(bool again) noexcept { left_behind_.store(again, std::memory_order_release); }
    /// The handlers that had left input behind are gone.
    void forget_left_input() noexcept { left_behind_.store(false, std::memory_order_relaxed); }

    // Any thread

    [[nodiscard]] std::uint64_t count() const noexcept { return count_.load(std::memory_order_seq_cst); }
    [[nodiscard]] static constexpr bool under_way(std::uint64_t count) noexcept { return count % 2 != 0; }
    [[nodiscard]] bool input_left_behind() const noexcept { return left_behind_.load(std::memory_order_seq_cst); }

    /// The first reading that begins after `before` was loaded ends with this count. A reading that is under way at
    /// `before` may already be done with the input that it took out of the set.
    [[nodiscard]] static constexpr std::uint64_t end_of_next(std::uint64_t before) noexcept
    {
        return before + 2 + before % 2;
    }
    [[nodiscard]] bool have_reached(std::uint64_t count) const noexcept
    {
        return count_.load(std::memory_order_acquire) >= count;
    }
    /// The same, and no input was left behind.
    [[nodiscard]] bool have_read_all(std::uint64_t count) const noexcept
    {
        return have_reached(count) && !left_behind_.load(std::memory_order_acquire);
    }

private:
    std::atomic<std::uint64_t> count_{0};   ///< partner: the set of epoll. Odd: a reading is under way
    std::atomic<bool> left_behind_{false};  ///< partner: count_
};

}  // namespace zlink::runtime
