// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/latch.hpp"

#include "base/cancellation.hpp"
#include "runtime/driver.hpp"
#include "runtime/futex.hpp"

#include <algorithm>
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

latch::outcome latch::wait_until(const deadline& until)
{
    using std::chrono::nanoseconds;
    // With a limit, for two reasons. After a signal the kernel itself resumes a wait without limit. And futex(2) is not
    // a cancellation point.
    constexpr nanoseconds longest = cancelled_within;
    // The remove() of the last one does not wake a thread that steps a loop.
    constexpr nanoseconds between_checks = std::chrono::milliseconds(10);
    while (const std::uint32_t left = count_.load(std::memory_order_acquire)) {
        cancellation_point();
        nanoseconds limit = longest;
        if (until) limit = std::min(limit, nanoseconds(*until - clock::now()));
        if (limit.count() <= 0) return outcome::late;
        bool interrupted = false;
        if (driver* const own = driver::of_this_thread()) {
            interrupted = !own->step_or_sleep(std::min(limit, between_checks));
        } else {
            const timespec at_most{0, long(limit.count())};
            interrupted = futex_wait(count_, left, at_most) == EINTR;
        }
        if (interrupted && count_.load(std::memory_order_acquire) != 0) return outcome::interrupted;
    }
    return outcome::open;
}

}  // namespace zlink::runtime
