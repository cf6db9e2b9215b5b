// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The time that all threads together may spend in own writes to one I/O thread's connections (own_writes.hpp). One
// thread may use a part of its pauses; with many threads these parts could fill a core. Beyond the budget the I/O
// thread is told, once, and writes the messages that come meanwhile from all threads.
#pragma once

#include "load/limits.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <type_traits>

namespace zlink::load {

/// One for each I/O thread. Used by any thread; the caller passes the times. Relaxed on any machine: a figure that
/// orders nothing, so it has no partner. It matters little if a write is not counted, as two end at the same time, or
/// is seen late.
class own_write_budget {
public:
    using time_point = std::chrono::steady_clock::time_point;

    [[nodiscard]] bool allows(time_point now) const noexcept
    {
        return paid_.load(std::memory_order_relaxed) <= now.time_since_epoch().count();
    }
    /// A write that ends at `now` has taken `took`.
    void spend(time_point now, std::chrono::nanoseconds took) noexcept
    {
        const auto earliest = now - limits::own_writes::part_of_pauses * limits::own_writes::most_allowance;
        const auto paid = std::max(paid_.load(std::memory_order_relaxed), earliest.time_since_epoch().count());
        paid_.store(paid + limits::own_writes::part_of_pauses * took.count(), std::memory_order_relaxed);
    }

private:
    static_assert(std::is_same_v<std::chrono::steady_clock::duration, std::chrono::nanoseconds>);
    /// the writes so far are paid for by the time until this moment
    std::atomic<std::chrono::nanoseconds::rep> paid_{0};
};

}  // namespace zlink::load
