// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Counts the objects that are alive, so that the end of a context can wait until all of them are gone.
#pragma once

#include "runtime/deadline.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace zlink::runtime {

class latch {
public:
    /// A thread that is cancelled in its wait ends within this time, plus the time that it waits for a core.
    static constexpr std::chrono::milliseconds cancelled_within{50};

    void add() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }

    /// After the last one the waiting thread goes on, and may end the latch: no member is read or written then.
    void remove() noexcept;

    /// False: a signal's handler came in between. A thread that drives a loop itself steps it meanwhile. A cancellation
    /// point.
    [[nodiscard]] bool wait() { return wait_until({}) == outcome::open; }

    /// The same, for so long at most.
    enum class outcome : std::uint8_t { open, interrupted, late };
    [[nodiscard]] outcome wait_until(const deadline& until);

    [[nodiscard]] std::uint32_t count() const noexcept { return count_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint32_t> count_{0};  ///< a futex
};

}  // namespace zlink::runtime
