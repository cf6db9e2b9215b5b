// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether a thread yields the processor for a moment before it sleeps. On a shared core the thread it waits for goes on at once and no
// wake-up is paid; on a core of its own the wait is short. Pays only where work comes quickly, so it watches its own success: a
// thread whose waits are longer stops trying, but for one wait in many. (Other programs' cores: crowding.hpp.)
#pragma once

#include "load/counters.hpp"
#include "load/limits.hpp"

#include <algorithm>
#include <chrono>

namespace zlink::load {

/// One thread's, of one kind of wait. Times are handed in.
class yielding {
public:
    static constexpr std::chrono::microseconds never = std::chrono::hours(24 * 365);

    /// `late_after`: what is found later than this counts as a failure, and who fails again and again tries ever more rarely.
    /// For threads that have one peer to wait for, and maybe many others beside them: who is woken goes first, who has yielded
    /// goes last. (Who fills or drains a queue gains by the time that the others had.)
    explicit yielding(bool enabled, std::chrono::microseconds late_after = never) noexcept
        : late_after_(late_after),
          enabled_(enabled)
    {}

    [[nodiscard]] bool enabled() const noexcept { return enabled_; }

    /// A wait begins: to yield, or not.
    [[nodiscard]] bool wanted() noexcept
    {
        if (!enabled_) return false;
        if (score_ > 0 || ++skipped_ >= retry_after_) return true;
        left_out();
        return false;
    }
    /// It was wanted, and strangers want the core.
    void left_out() noexcept { count(rule::yield_left_out); }

    /// The thread has yielded for so long. `found`: what it waits for came meanwhile.
    void ended(bool found, std::chrono::nanoseconds took) noexcept
    {
        skipped_ = 0;
        const bool success = found && took <= late_after_;
        count(success ? rule::yield_found : rule::yield_in_vain, 1, took);
        if (!success) {
            if (score_ == 0 && late_after_ != never) {
                retry_after_ = std::min(2 * retry_after_, limits::yielding::longest_retry_after);
            }
            lower(limits::yielding::cost_of_failure);
        } else if (score_ < limits::yielding::most) {
            if (++score_ > limits::yielding::cost_of_failure) retry_after_ = limits::yielding::first_retry_after;
        }
    }

    /// The last success was none: a sleep would have come out better.
    void was_in_vain() noexcept
    {
        count(rule::yield_for_little);
        lower(1 + limits::yielding::cost_of_failure);
    }

private:
    void lower(int by) noexcept { score_ = score_ > by ? score_ - by : 0; }

    std::chrono::microseconds late_after_;
    bool enabled_;
    int score_ = limits::yielding::most;
    int skipped_ = 0;
    int retry_after_ =
        limits::yielding::first_retry_after;  ///< doubled by each try in vain, until several have not been
};

}  // namespace zlink::load
