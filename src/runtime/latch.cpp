// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/latch.hpp"

#include "base/cancellation.hpp"
#include "runtime/driver.hpp"
#include "runtime/futex.hpp"

#include <cerrno>
#include <chrono>
#include <climits>
#include <ctime>

namespace zlink::runtime {

void latch::remove() noexcept
{
    // The address alone is used afterwards: a wake-up of what may be there by then is one too many, and no more.
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) futex_wake(count_, INT_MAX);
}

bool latch::wait()
{
    // With a limit, as the kernel takes up a wait without one by itself after a signal, and no call of futex(2) is a
    // cancellation point.
    constexpr timespec limit{0, std::chrono::nanoseconds(cancelled_within).count()};
    // Whoever removes the last one wakes nobody that steps a loop.
    constexpr std::chrono::milliseconds between_looks{10};
    while (const std::uint32_t left = count_.load(std::memory_order_acquire)) {
        cancellation_point();
        if (driver* const own = driver::of_this_thread()) {
            if (!own->step_or_sleep(between_looks)) return count_.load(std::memory_order_acquire) == 0;
            continue;
        }
        if (futex_wait(count_, left, limit) == EINTR) return count_.load(std::memory_order_acquire) == 0;
    }
    return true;
}

}  // namespace zlink::runtime
