// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether a thread that is woken to serve many others should first let those run that are about to ask it for
// something, too. If the first of them wakes it, it runs before all others, does that one's work, sleeps, and is woken
// for the next. If cores are short, that is a wake-up for each. If it runs a moment later, it finds several, and serves
// them together. The number that it found at its last wake-ups decides: a thread that serves one peer is never delayed.
//
// The thread measures the time of its yields. Threads that serve each other work in small pieces, in this process or
// others. A program that computes on the core takes a time slice, some milliseconds. (core_contention.hpp looks at one
// process's threads, and would take peers in other processes for other programs here, where there are many.)
//
// One for each thread. The caller passes the times.
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

    /// The thread has been woken at `now`; found() comes next. True: yield first, and then call yielded().
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

    /// A look has found `number` requests. The first look after a wake-up counts, unless the wake-up was for something
    /// else.
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
