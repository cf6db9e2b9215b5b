// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether a thread yields the processor for a moment before it sleeps. On a shared core the thread that it waits for
// goes on at once, and no wake-up is needed. On a core of its own the wait is short. Yielding pays only if work comes
// quickly, so the class measures its success. A thread with longer waits stops trying, except for one wait in many.
// (Other programs' cores: core_contention.hpp.)
//
// On a core that threads of its own program keep busy, a thread that yields is back after their time slices, some
// milliseconds later. There it naps instead: it sleeps for a moment without asking to be woken. The kernel ends a nap
// in time, but not a yield. Messages that the other threads produce meanwhile cost them no wake-ups, and wait at most
// for the length of the nap. For a message or two a sleep is better.
#pragma once

#include "load/counters.hpp"
#include "load/limits.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace zlink::load {

/// Whether long yields make a thread nap.
enum class naps : bool { never, instead_of_long_yields };

/// One for each thread and kind of wait. The caller passes the times.
class yielding {
public:
    static constexpr std::chrono::microseconds never = std::chrono::hours(24 * 365);

    /// The first step of a wait, before the thread sleeps until it is woken.
    enum class way : std::uint8_t {
        sleep,  ///< nothing
        yield,
        nap,   ///< for limits::yielding::nap
        spin,  ///< the core is kept for a moment, to see whether the message comes from another core
    };

    /// `late_after`: a find later than this counts as a failure. For threads that wait for one peer, maybe with many
    /// other threads on the core. A thread that is woken goes first, a thread that has yielded goes last. (A thread
    /// that drains a queue gains by the time that the others had.)
    explicit yielding(bool enabled, std::chrono::microseconds late_after = never, naps may = naps::never) noexcept
        : late_after_(late_after),
          enabled_(enabled),
          may_nap_(may == naps::instead_of_long_yields)
    {}

    [[nodiscard]] bool enabled() const noexcept { return enabled_; }

    /// The next wait begins with something else than a sleep.
    [[nodiscard]] bool tries() const noexcept { return enabled_ && (score_ > 0 || skipped_ + 1 >= retry_after_); }
    /// A wait begins. Unless the result is `sleep`, one of ended(), napped(), spun() and left_out() comes next.
    [[nodiscard]] way next() noexcept
    {
        if (!enabled_) return way::sleep;
        if (!tries()) {
            ++skipped_;
            left_out();
            return way::sleep;
        }
        if (!displaced_) return way::yield;
        if (++naps_ < limits::yielding::naps_before_spin) return way::nap;
        naps_ = 0;
        return way::spin;
    }
    /// A yield was due, but other programs want the core.
    void left_out() noexcept { count(rule::yield_left_out); }

    /// The thread has yielded for `took`. `found`: the message or event that it waits for came meanwhile.
    void ended(bool found, std::chrono::nanoseconds took) noexcept
    {
        skipped_ = 0;
        const bool success = found && took <= late_after_;
        count(success ? rule::yield_found : rule::yield_in_vain, 1, took);
        if (!success) seldomer();
        judge(success);
        if (may_nap_ && took > limits::yielding::displaced_after) displaced_ = true;
    }

    /// The thread has napped for `took`, while the threads of the process had the processor for `own`.
    void napped(bool found, std::chrono::nanoseconds took, std::chrono::nanoseconds own) noexcept
    {
        skipped_ = 0;
        count(rule::nap, 1, took);
        idle_naps_ = 2 * own >= took ? 0 : idle_naps_ + 1;
        if (idle_naps_ >= limits::yielding::idle_naps) displaced_ = false;
        if (!found) seldomer();
        judge(found);
    }
    /// The last nap has found `messages` messages.
    void brought(std::uint64_t messages) noexcept
    {
        if (messages < limits::yielding::few_of_a_nap) was_in_vain();
    }
    /// The thread has kept the core.
    void spun(bool found) noexcept
    {
        skipped_ = 0;
        if (found) displaced_ = false;
    }
    /// Threads of the thread's own program keep its core busy: a yield takes long.
    [[nodiscard]] bool displaced() const noexcept { return displaced_; }

    /// The last success does not count: a sleep would have been better.
    void was_in_vain() noexcept
    {
        count(rule::yield_for_little);
        lower(1 + limits::yielding::cost_of_failure);
    }

private:
    void judge(bool success) noexcept
    {
        if (!success) {
            lower(limits::yielding::cost_of_failure);
        } else if (score_ < limits::yielding::most) {
            if (++score_ > limits::yielding::cost_of_failure) retry_after_ = limits::yielding::first_retry_after;
        }
    }
    // After a failure.
    void seldomer() noexcept
    {
        if (score_ == 0) retry_after_ = std::min(2 * retry_after_, limits::yielding::longest_retry_after);
    }
    void lower(int by) noexcept { score_ = score_ > by ? score_ - by : 0; }

    std::chrono::microseconds late_after_;
    bool enabled_;
    bool may_nap_;
    bool displaced_ = false;
    int naps_ = 0;       ///< since the last spin
    int idle_naps_ = 0;  ///< in a row, in which the core was idle, or other programs used it
    int score_ = limits::yielding::most;
    int skipped_ = 0;
    int retry_after_ =
        limits::yielding::first_retry_after;  ///< doubled by each try in vain, until several have not been
};

}  // namespace zlink::load
