// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How long a send that would drop its message, as the queue is full, waits for an I/O thread that has had no core. A thread that
// answers a thousand requests in a row is through with them in less time than another one needs to be given a core; so it is
// waited for. While it goes on whenever it is waited for, each wait may be as long as the first. Waits in vain count together.
#pragma once

#include "load/counters.hpp"
#include "load/limits.hpp"

#include <algorithm>
#include <chrono>

namespace zlink::load {

/// One socket's. Its thread; times are handed in.
class io_patience {
public:
    using time_point = std::chrono::steady_clock::time_point;
    using duration = std::chrono::nanoseconds;

    /// So long may a wait take that begins at `now`, in a send that may wait for `timeout`. 0: there is none.
    [[nodiscard]] duration allowed(time_point now, duration timeout) const noexcept
    {
        const duration spent = now >= forgiven_at_ ? duration{} : in_vain_;
        return std::clamp<duration>(limits::io_patience::longest - spent, duration{}, timeout);
    }
    /// It ended at `now`, after `took`. `in_vain`: that thread has not had its turn all the time.
    void waited(time_point now, duration took, bool in_vain) noexcept
    {
        count(rule::io_wait, 1, took);
        if (!in_vain) return;
        count(rule::io_wait_in_vain);
        in_vain_ = now - took >= forgiven_at_ ? took : in_vain_ + took;
        forgiven_at_ = now + limits::io_patience::forgiven_after;
    }

private:
    duration in_vain_{};
    time_point forgiven_at_{};  ///< what was in vain counts until then
};

}  // namespace zlink::load
