// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How long a send that would drop its message, as the queue is full, waits for an I/O thread that has had no core. A
// thread may answer a thousand requests in a row in less time than the I/O thread needs to get a core. So the send
// waits. While the I/O thread goes on during each wait, each wait may be as long as the first. Waits in vain are added
// up.
#pragma once

#include "load/counters.hpp"
#include "load/limits.hpp"

#include <algorithm>
#include <chrono>

namespace zlink::load {

/// One for each socket. Used by its thread; the caller passes the times.
class io_patience {
public:
    using time_point = std::chrono::steady_clock::time_point;
    using duration = std::chrono::nanoseconds;

    /// The longest time of a wait that begins at `now`, in a send that may wait for `timeout`. 0: no wait.
    [[nodiscard]] duration allowed(time_point now, duration timeout) const noexcept
    {
        const duration spent = now >= forgiven_at_ ? duration{} : in_vain_;
        return std::clamp<duration>(limits::io_patience::longest - spent, duration{}, timeout);
    }
    /// The wait ended at `now`, after `took`. `in_vain`: the I/O thread has not had its turn all the time.
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
    time_point forgiven_at_{};  ///< waits in vain count until then
};

}  // namespace zlink::load
