// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether other programs want our cores. On a core of our own, or shared with our own threads alone, a thread that yields is
// back in a moment. On one that another program computes on, it is back after that program's time slice, some
// milliseconds later, and pays with its own share of the core, too; a thread that sleeps is run as soon as it is woken:
// there, nobody should yield.
#pragma once

#include "runtime/clock.hpp"

#include <atomic>
#include <chrono>

namespace zlink::runtime {

/// What yields took says whether strangers run. A long one may have been spent on our own threads, so for a while after it
/// yields are measured against the processor time of this process (measures(), measured()). A peer in another process
/// may have worked for us, but it does so in small pieces, but for a backlog now and then; and a limit to our processor
/// time (cpu.max) stops us for long, but rarely. Only if much goes elsewhere in one loss after the other it is strangers,
/// and yielding ends for a pause. The yields after it are measured from the first on, so a stranger that stays costs a few
/// percent.
///
/// Asking for the processor time costs something for each thread of the process. Where it is dear, a suspicion is enough, and
/// nobody yields while there is one: between hundreds of threads yielding gains nothing anyway.
///
/// Any thread. Hints, which partner with nothing and may miss what other threads note at the same time: relaxed.
class crowding {
public:
    using clock = runtime::clock;

    /// A yield that took longer than this was not spent on small pieces of work.
    static constexpr std::chrono::microseconds long_yield{200};
    /// How long yields are measured after a long one, or after a pause.
    static constexpr std::chrono::milliseconds suspicion{100};
    /// So much in so many losses, each at most so long after the last, is strangers.
    static constexpr std::chrono::milliseconds much_lost{12};
    static constexpr int many_losses = 3;
    static constexpr std::chrono::milliseconds longest_gap{20};
    /// Nobody yields for so long then.
    static constexpr std::chrono::milliseconds pause{500};
    /// Asking is dear if it took longer than this so often in a row; it is tried again after a while. (Among few threads it
    /// takes that long now and then, out of the cache or on a busy host.)
    static constexpr std::chrono::microseconds dear{10};
    static constexpr int many_dear = 16;
    static constexpr std::chrono::seconds dear_for{1};

    /// Nobody is to yield at `now`.
    [[nodiscard]] bool crowded(clock::time_point now) const noexcept
    {
        return strangers(now) || (now < load(dear_until_) && measures(now));
    }

    /// Strangers want our cores: that is more than a suspicion.
    [[nodiscard]] bool strangers(clock::time_point now) const noexcept { return now < load(until_); }

    /// A yield that begins at `now` is to be measured, if it turns out long.
    [[nodiscard]] bool measures(clock::time_point now) const noexcept { return now < load(suspicious_until_); }

    /// A yield that ended at `now` was long.
    void suspect(clock::time_point now) noexcept { store(suspicious_until_, now + suspicion); }

    /// A measured yield ended at `now`, after `took`; our own threads computed for `own` of that.
    void measured(clock::time_point now, clock::duration took, clock::duration own) noexcept;

    /// Processor time of all threads of this process so far. A system call, which began at `now`.
    [[nodiscard]] clock::duration own_time(clock::time_point now) noexcept;

    /// The processor time was asked for: that ended at `now`, after `took`.
    void asked(clock::time_point now, clock::duration took) noexcept;

    /// The whole process: a thread meets the others on any core.
    [[nodiscard]] static crowding& of_process() noexcept;

private:
    // Since the clock began, which was when the machine did.
    using moment = std::atomic<clock::rep>;
    [[nodiscard]] static clock::time_point load(const moment& m) noexcept
    {
        return clock::time_point(clock::duration(m.load(std::memory_order_relaxed)));
    }
    static void store(moment& m, clock::time_point t) noexcept
    {
        m.store(t.time_since_epoch().count(), std::memory_order_relaxed);
    }

    moment until_{0};
    moment suspicious_until_{0};
    moment counted_until_{0};
    std::atomic<clock::rep> lost_{0};  ///< without a longer gap up to counted_until_
    std::atomic<int> losses_{0};
    moment dear_until_{0};
    std::atomic<int> dear_asks_{0};  ///< in a row
};

}  // namespace zlink::runtime
