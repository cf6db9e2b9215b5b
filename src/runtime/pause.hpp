// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Gives the processor away, for less time than a wait is worth.
#pragma once

#include "base/cancellation.hpp"

#include <sched.h>

#include <chrono>
#include <ctime>

namespace zlink::runtime {

/// Lets other threads that want this core run, if there are any.
inline void yield() noexcept
{
    ::sched_yield();
}

/// Sleeps for longer than `time`: with the kernel's usual timer slack 50 us more. A signal's handler ends it early. A
/// cancellation point.
inline void cancellable_nap(std::chrono::nanoseconds time)
{
    const timespec t{time_t(time.count() / 1'000'000'000), long(time.count() % 1'000'000'000)};
    (void)::nanosleep(&t, nullptr);
}

/// The same, but not a cancellation point.
inline void nap(std::chrono::nanoseconds time) noexcept
{
    const cancellation_held_off hold;
    cancellable_nap(time);
}

/// Whether the calling thread may run on only one core.
[[nodiscard]] bool has_one_core() noexcept;

}  // namespace zlink::runtime
