// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether a thread that was woken for input lets the other threads on its core go on first. The kernel runs a woken
// thread before the thread that has sent to it. So if both share a core, and the peer has several messages to send, each
// of them costs a sleep and a wake-up. If the woken thread yields before it reads, the peer goes on, and the read takes
// what has gathered.
//
// Wake-ups that bring one message each are a sign of that. But so are a lone request and its answer, and there a yield
// costs time. So the class tries: a series of wake-ups with yields goes on if they bring more. (The first yields tell
// little. Their gain comes when the peers yield, too.)
#pragma once

#include "load/counters.hpp"
#include "load/limits.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace zlink::load {

/// One for each connection that a thread waits for alone. Used by its thread.
class gathering {
public:
    /// The thread was woken for input: it should yield before it reads.
    [[nodiscard]] bool yields() const noexcept { return left_ != 0; }

    /// A wake-up without a yield has brought so many messages.
    void read(std::uint64_t messages) noexcept
    {
        plain_.add(messages);
        if (left_ != 0 || plain_.wakes < wait_) return;
        successes_ = 0;
        begin();
    }

    /// After a yield that took `took`, the read has found so many.
    void read_after_yield(std::uint64_t messages, std::chrono::nanoseconds took) noexcept
    {
        using namespace limits::gathering;
        count(rule::gather, 1, took);
        if (left_ <= judged) with_yields_.add(messages);
        if (--left_ != 0) return;
        if (with_yields_.mean() >= gain * plain_.mean()) {
            wait_ = first_wait;
            if (++successes_ < series_in_row) return begin();
        } else {
            count(rule::gather_in_vain);
            wait_ = std::min(2 * wait_, longest_wait);
        }
        plain_ = {};
    }

private:
    struct wake_ups {
        void add(std::uint64_t n) noexcept
        {
            ++wakes;
            messages += n;
        }
        [[nodiscard]] double mean() const noexcept { return double(messages) / wakes; }

        unsigned wakes = 0;
        std::uint64_t messages = 0;
    };

    void begin() noexcept
    {
        left_ = limits::gathering::series;
        with_yields_ = {};
    }

    wake_ups plain_;          ///< since the last series
    wake_ups with_yields_;    ///< those of this series that are judged
    unsigned left_ = 0;       ///< wake-ups of this series
    unsigned successes_ = 0;  ///< series in a row
    unsigned wait_ = limits::gathering::first_wait;
};

}  // namespace zlink::load
