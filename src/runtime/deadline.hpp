// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The time until which a call waits.
#pragma once

#include "runtime/clock.hpp"

#include <chrono>
#include <optional>

namespace zlink::runtime {

using deadline = std::optional<clock::time_point>;  ///< none: wait for ever

/// From a timeout in ms; negative: none.
[[nodiscard]] inline deadline deadline_after(long timeout_ms) noexcept
{
    if (timeout_ms < 0) return std::nullopt;
    return clock::now() + std::chrono::milliseconds(timeout_ms);
}

[[nodiscard]] inline bool is_over(const deadline& until) noexcept
{
    return until && clock::now() >= *until;
}

}  // namespace zlink::runtime
