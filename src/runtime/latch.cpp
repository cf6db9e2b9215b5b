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
    // Afterwards only the address is used. If other memory is there by then, its sleeper gets one wake-up too many,
    // which is harmless.
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) futex_wake(count_, INT_MAX);
}

bool latch::wait()
{
    // With a limit, for two reasons. After a signal the kernel itself resumes a wait without limit. And futex(2) is not
    // a cancellation point.
    constexpr timespec limit{0, std::chrono::nanoseconds(cancelled_within).count()};
    // The remove() of the last one does not wake a thread that steps a loop.
    constexpr std::chrono::milliseconds between_checks{10};
    while (const std::uint32_t left = count_.load(std::memory_order_acquire)) {
        cancellation_point();
        if (driver* const own = driver::of_this_thread()) {
            if (!own->step_or_sleep(between_checks)) return count_.load(std::memory_order_acquire) == 0;
            continue;
        }
        if (futex_wait(count_, left, limit) == EINTR) return count_.load(std::memory_order_acquire) == 0;
    }
    return true;
}

}  // namespace zlink::runtime
