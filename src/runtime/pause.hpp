// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Giving the processor away, for less than a wait is worth.
#pragma once

#include "base/cancellation.hpp"

#include <sched.h>

#include <chrono>
#include <ctime>

namespace zlink::runtime {

/// Lets other threads run that want this core, if there are any.
inline void yield() noexcept
{
    ::sched_yield();
}

/// Sleeps, and then some: with the kernel's usual timer slack 50 us more. A signal's handler ends it early. A cancellation point.
inline void cancellable_nap(std::chrono::nanoseconds time)
{
    const timespec t{time_t(time.count() / 1'000'000'000), long(time.count() % 1'000'000'000)};
    (void)::nanosleep(&t, nullptr);
}

/// The same, and no cancellation point.
inline void nap(std::chrono::nanoseconds time) noexcept
{
    const cancellation_held_off hold;
    cancellable_nap(time);
}

/// Whether the calling thread may run on one core alone.
[[nodiscard]] bool has_one_core() noexcept;

}  // namespace zlink::runtime
