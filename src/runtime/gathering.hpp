// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether a thread that is woken to serve many should let those go first who are about to ask it for something, too. Woken
// by the first of them it goes before all others, does that one's work, sleeps, and is woken for the next; where cores are
// short that is a wake-up for each. Who comes a moment later finds several, and serves them together. How many it found
// when it was woken the last times tells which it is: a thread that serves one peer is never held up.
//
// It watches what that takes. Threads that serve each other work in small pieces, in this process or others; a program that
// computes on the core takes a time slice, some milliseconds. (crowding.hpp looks at one process's threads, and would take
// peers in other processes for strangers here, where there are many.)
//
// One thread.
#pragma once

#include "runtime/clock.hpp"

#include <algorithm>
#include <chrono>

namespace zlink::runtime {

class gathering {
public:
    using clock = runtime::clock;

    /// So many are found on average: that is worth a yield.
    static constexpr int several = 2;
    /// More in one look do not count: one crowd is not to speak for hundreds of wake-ups.
    static constexpr int most_counted = 16;
    /// A yield may take so long on average.
    static constexpr std::chrono::microseconds longest_on_average{500};
    /// If it takes longer, there is none for so long.
    static constexpr std::chrono::milliseconds pause{500};

    explicit gathering(bool enabled) noexcept : enabled_(enabled) {}

    /// The thread has been woken at `now`; found() comes next. True: yield first, and tell.
    [[nodiscard]] bool woken(clock::time_point now) noexcept
    {
        woken_ = true;
        return enabled_ && found_ >= several * weight * scale && now >= resume_at_;
    }

    /// The yield ended at `now`, after `took`.
    void yielded(clock::time_point now, clock::duration took) noexcept
    {
        took_ += took - took_ / weight;
        if (took_ <= weight * longest_on_average) return;
        resume_at_ = now + pause;
        took_ = {};
    }

    /// A look has found `count` who want something. The first one after a wake-up counts, unless that was for something else.
    void found(int count) noexcept
    {
        if (!woken_) return;
        woken_ = false;
        if (count != 0) found_ += std::min(count, most_counted) * scale - found_ / weight;
    }

private:
    static constexpr int weight = 16;  ///< of what was, against the last
    static constexpr int scale = 16;   ///< so that little is lost by rounding

    bool enabled_;
    bool woken_ = false;
    int found_ = weight * scale;  ///< on average, times weight and scale; one at first
    clock::duration took_{};      ///< on average, times weight
    clock::time_point resume_at_{};
};

}  // namespace zlink::runtime
