// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The longest sleep of one system call of a thread.
#pragma once

#include "runtime/deadline.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>

namespace zlink::runtime::sleep_limit {

/// Sleeps are cut at this length, so no caller depends for ever on a single wake-up. Also, the kernel then never
/// restarts a sleep by itself after a signal (as it does with a futex wait without limit).
inline constexpr std::chrono::hours longest{1};
/// If no descriptor can be had for wake-ups.
inline constexpr std::chrono::milliseconds without_wake_ups{10};
/// A sleep that lasts longer than this heeds signals from then on.
inline constexpr std::chrono::milliseconds longest_unheeding{250};

/// From now to `until`, at most `longest`. Negative if it is over.
[[nodiscard]] inline std::chrono::nanoseconds left(const deadline& until) noexcept
{
    if (!until) return longest;
    return std::min<std::chrono::nanoseconds>(*until - clock::now(), longest);
}

/// For a system call; at once if `d` is negative.
[[nodiscard]] inline timespec to_timespec(std::chrono::nanoseconds d) noexcept
{
    d = std::max(d, std::chrono::nanoseconds{0});
    return {static_cast<time_t>(d.count() / 1'000'000'000), static_cast<long>(d.count() % 1'000'000'000)};
}

}  // namespace zlink::runtime::sleep_limit
