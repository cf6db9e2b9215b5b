// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The rhythm of --rate: when the next message is due.
#pragma once

#include <algorithm>
#include <chrono>

namespace zlink::tool {

// The caller reads the clock once for a decision, so that "not due yet" and "how long to wait" can't contradict each
// other.
class pacer {
public:
    using clock = std::chrono::steady_clock;

    // Messages a second; 0: no limit.
    explicit pacer(double rate)
        : step_(std::chrono::duration_cast<clock::duration>(
              std::chrono::duration<double>(rate > 0 ? std::min(1 / rate, longest_step) : 0))),
          limited_(rate > 0)
    {}

    bool limited() const noexcept { return limited_; }

    bool due(clock::time_point now) const noexcept { return !limited_ || now >= next_; }

    // Until the next message is due, rounded up: never 0 unless it is due.
    std::chrono::milliseconds wait(clock::time_point now) const noexcept
    {
        return due(now) ? std::chrono::milliseconds(0) : std::chrono::ceil<std::chrono::milliseconds>(next_ - now);
    }

    // One was sent. A sleep that took too long is caught up with, a peer's absence isn't.
    void sent(clock::time_point now) noexcept { next_ = std::max(next_, now - longest_lag) + step_; }

private:
    static constexpr std::chrono::milliseconds longest_lag{50};
    static constexpr double longest_step = 1e6;  // s; in milliseconds it fits an int

    clock::duration step_;
    bool limited_;
    clock::time_point next_ = clock::now();
};

}  // namespace zlink::tool
