// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How long the thread of a loop has run since another thread began to wait for it. Pure: it is told the readings of
// that thread's clock.
#pragma once

#include <algorithm>
#include <chrono>

namespace zlink::runtime {

class run_time {
public:
    /// `now`: the first reading. `most_at_once`: what counts between two readings, at most.
    run_time(std::chrono::nanoseconds now, std::chrono::nanoseconds most_at_once) noexcept
        : seen_(now),
          most_at_once_(most_at_once)
    {}

    /// The time so far. If another thread drives the loop from now on, or none, the clock begins anew. Its reading may
    /// be less than the last one then. Such a step counts as nothing.
    [[nodiscard]] std::chrono::nanoseconds until(std::chrono::nanoseconds now) noexcept
    {
        ran_ += std::clamp(now - seen_, std::chrono::nanoseconds{}, most_at_once_);
        seen_ = now;
        return ran_;
    }

private:
    std::chrono::nanoseconds seen_;
    std::chrono::nanoseconds most_at_once_;
    std::chrono::nanoseconds ran_{};
};

}  // namespace zlink::runtime
