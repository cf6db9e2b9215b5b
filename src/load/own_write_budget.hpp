// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The time that all threads together may spend in writes of their own to one I/O thread's connections (own_writes.hpp): what one thread may,
// a part of its pauses, is as much as a core has if there are many of them. Beyond that the I/O thread is told, once, and writes what comes
// meanwhile from all of them.
#pragma once

#include "load/limits.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <type_traits>

namespace zlink::load {

/// One I/O thread's. Any thread; times are handed in. Relaxed on any machine: a figure that orders nothing, so it has no partner. A write that is not
/// counted, as two end at a time, or is seen late, changes little.
class own_write_budget {
public:
    using time_point = std::chrono::steady_clock::time_point;

    [[nodiscard]] bool allows(time_point now) const noexcept
    {
        return paid_.load(std::memory_order_relaxed) <= now.time_since_epoch().count();
    }
    /// A write that ends at `now` has taken so long.
    void spend(time_point now, std::chrono::nanoseconds took) noexcept
    {
        const auto earliest = now - limits::own_writes::part_of_pauses * limits::own_writes::most_allowance;
        const auto paid = std::max(paid_.load(std::memory_order_relaxed), earliest.time_since_epoch().count());
        paid_.store(paid + limits::own_writes::part_of_pauses * took.count(), std::memory_order_relaxed);
    }

private:
    static_assert(std::is_same_v<std::chrono::steady_clock::duration, std::chrono::nanoseconds>);
    std::atomic<std::chrono::nanoseconds::rep> paid_{0};  ///< the time until which has paid for the writes so far
};

}  // namespace zlink::load
