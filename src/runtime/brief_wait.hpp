// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Waits for another thread of this program that is about to act: first yields, then sleeps in small portions, up to a
// limit. For rare events that take microseconds, unless the other thread has to wait for a core. If the waiting thread
// drives a loop itself, it steps that loop meanwhile.
#pragma once

#include "runtime/clock.hpp"
#include "runtime/driver.hpp"
#include "runtime/pause.hpp"

#include <chrono>

namespace zlink::runtime {

/// For a thread that takes microseconds once it has a core. On a machine where dozens of threads want each core, that
/// takes over 100 ms.
inline constexpr std::chrono::seconds longest_for_a_core{1};

/// True as soon as `done()` is; false if `until` has passed before.
template <class Done>
[[nodiscard]] bool brief_wait(clock::time_point until, Done done) noexcept
{
    constexpr std::chrono::microseconds yields_for{20};
    constexpr std::chrono::microseconds portion{20};
    const auto start = clock::now();
    auto now = start;
    while (!done()) {
        if (now >= until) return false;
        if (driver* const own = driver::of_this_thread()) {
            (void)own->step_or_sleep(portion);
        } else if (now - start < yields_for) {
            yield();
        } else {
            nap(portion);
        }
        now = clock::now();
    }
    return true;
}

}  // namespace zlink::runtime
