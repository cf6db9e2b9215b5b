// Waits for another thread of this program that is about to act: yields first, sleeps in small portions then, up to a
// limit. For what happens rarely and takes microseconds, unless the other thread has to wait for a core.
#pragma once

#include <sched.h>

#include <chrono>
#include <ctime>

namespace zlink::runtime {

/// True as soon as `done()` is; false when `until` has passed before.
template <class Done>
[[nodiscard]] bool brief_wait(std::chrono::steady_clock::time_point until, Done done) noexcept
{
    constexpr std::chrono::microseconds yields_for{20};
    const auto start = std::chrono::steady_clock::now();
    auto now = start;
    while (!done()) {
        if (now >= until) return false;
        if (now - start < yields_for) {
            ::sched_yield();
        } else {
            constexpr timespec pause{0, 20'000};
            (void)::nanosleep(&pause, nullptr);
        }
        now = std::chrono::steady_clock::now();
    }
    return true;
}

}  // namespace zlink::runtime
