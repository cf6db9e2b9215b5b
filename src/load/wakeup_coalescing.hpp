// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether a thread that is woken to serve many should let those go first who are about to ask it for something, too. Woken
// by the first of them it goes before all others, does that one's work, sleeps, and is woken for the next; where cores are
// short that is a wake-up for each. Who comes a moment later finds several, and serves them together. How many it found
// when it was woken the last times tells which it is: a thread that serves one peer is never held up.
//
// It watches what that takes. Threads that serve each other work in small pieces, in this process or others; a program that
// computes on the core takes a time slice, some milliseconds. (core_contention.hpp looks at one process's threads, and would take
// peers in other processes for strangers here, where there are many.)
//
// One thread. Times are handed in.
#pragma once

#include "load/counters.hpp"
#include "load/limits.hpp"

#include <algorithm>
#include <chrono>

namespace zlink::load {

class wakeup_coalescing {
public:
    using time_point = std::chrono::steady_clock::time_point;
    using duration = std::chrono::steady_clock::duration;

    explicit wakeup_coalescing(bool enabled) noexcept : enabled_(enabled) {}

    /// The thread has been woken at `now`; found() comes next. True: yield first, and tell.
    [[nodiscard]] bool woken(time_point now) noexcept
    {
        woken_ = true;
        return enabled_ && found_ >= limits::wakeup_coalescing::several * weight * scale && now >= resume_at_;
    }

    /// The yield ended at `now`, after `took`.
    void yielded(time_point now, duration took) noexcept
    {
        count(rule::gather, 1, took);
        took_ += took - took_ / weight;
        if (took_ <= weight * limits::wakeup_coalescing::longest_on_average) return;
        resume_at_ = now + limits::wakeup_coalescing::pause;
        took_ = {};
    }

    /// A look has found `number` who want something. The first one after a wake-up counts, unless that was for something else.
    void found(int number) noexcept
    {
        if (!woken_) return;
        woken_ = false;
        if (number != 0) found_ += std::min(number, limits::wakeup_coalescing::most_counted) * scale - found_ / weight;
    }

private:
    static constexpr int weight = limits::wakeup_coalescing::weight;
    static constexpr int scale = 16;  ///< so that little is lost by rounding

    bool enabled_;
    bool woken_ = false;
    int found_ = weight * scale;  ///< on average, times weight and scale; one at first
    duration took_{};             ///< on average, times weight
    time_point resume_at_{};
};

}  // namespace zlink::load
