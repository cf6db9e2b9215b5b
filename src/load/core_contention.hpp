// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether other programs want our cores. On a core of our own, or shared with our own threads alone, a thread that
// yields is back in a moment. On a core that another program computes on, it is back after that program's time slice,
// some milliseconds later. It also pays with its own share of the core. A thread that sleeps runs as soon as it is
// woken. So no thread should yield there.
#pragma once

#include "load/limits.hpp"

#include <atomic>
#include <chrono>

namespace zlink::load {

/// The duration of yields shows whether other programs run. A long yield may have been spent on our own threads. So for
/// a while after it yields are measured against the processor time of this process (measures(), measured()). A peer in
/// another process may have worked for us, but it works in small pieces, except for a backlog now and then. A limit to
/// our processor time (cpu.max) stops us for long, but rarely. Only if much time is lost in one loss after the other,
/// the cause is other programs, and yielding ends for a pause. The yields after the pause are measured from the first
/// on, so a stranger that stays costs a few percent.
///
/// Asking for the processor time costs something for each thread of the process. If it is expensive, a suspicion is
/// enough, and no thread yields while there is one. Between hundreds of threads yielding gains nothing anyway.
///
/// Any thread; the caller passes the times. Relaxed: hints, without a partner, which may miss what other threads note
/// at the same time.
class core_contention {
public:
    using time_point = std::chrono::steady_clock::time_point;
    using duration = std::chrono::steady_clock::duration;

    /// No thread should yield at `now`.
    [[nodiscard]] bool contended(time_point now) const noexcept
    {
        return other_programs(now) || (now < load(costly_until_) && measures(now));
    }

    /// Strangers want our cores: this is more than a suspicion.
    [[nodiscard]] bool other_programs(time_point now) const noexcept { return now < load(until_); }

    /// A yield that begins at `now` has to be measured, if it turns out long.
    [[nodiscard]] bool measures(time_point now) const noexcept { return now < load(suspicious_until_); }

    /// A yield that ended at `now` was long.
    void suspect(time_point now) noexcept { store(suspicious_until_, now + limits::core_contention::suspicion); }

    /// A measured yield ended at `now`, after `took`; our own threads computed for `own` of that.
    void measured(time_point now, duration took, duration own) noexcept;

    /// The processor time was asked for: that ended at `now`, after `took`.
    void asked(time_point now, duration took) noexcept;

private:
    // Time since the clock began, which was when the machine started.
    using moment = std::atomic<duration::rep>;
    [[nodiscard]] static time_point load(const moment& m) noexcept
    {
        return time_point(duration(m.load(std::memory_order_relaxed)));
    }
    static void store(moment& m, time_point t) noexcept
    {
        m.store(t.time_since_epoch().count(), std::memory_order_relaxed);
    }

    moment until_{0};
    moment suspicious_until_{0};
    moment counted_until_{0};
    std::atomic<duration::rep> lost_{0};  ///< time lost up to counted_until_, without a longer gap
    std::atomic<int> losses_{0};
    moment costly_until_{0};
    std::atomic<int> costly_asks_{0};  ///< in a row
};

}  // namespace zlink::load
