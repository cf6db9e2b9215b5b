// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "load/core_contention.hpp"

#include "load/counters.hpp"

#include <algorithm>

namespace zlink::load {

void core_contention::measured(time_point now, duration took, duration own) noexcept
{
    const duration lost = took - own;
    if (lost <= limits::yielding::long_yield || contended(now)) return;
    // A loss of several threads at the same time counts once, however late they come back.
    const time_point last = load(counted_until_);
    if (now - took < last) return;
    store(counted_until_, now);
    duration sum = std::min<duration>(lost, limits::core_contention::most_at_once);
    int losses = 1;
    // A leaky bucket: if two thirds of the time remain ours, yielding does not cause the harm.
    const duration gap = now - took - last;
    const duration before = duration(lost_.load(std::memory_order_relaxed)) - gap / 2;
    if (gap <= limits::core_contention::longest_gap && before > duration::zero()) {
        sum += before;
        losses += losses_.load(std::memory_order_relaxed);
    }
    lost_.store(sum.count(), std::memory_order_relaxed);
    losses_.store(losses, std::memory_order_relaxed);
    if (sum < limits::core_contention::much_lost || losses < limits::core_contention::many_losses) return;
    count(rule::other_programs);
    store(until_, now + limits::core_contention::pause);
    store(suspicious_until_, now + limits::core_contention::pause + limits::core_contention::suspicion);
}

void core_contention::asked(time_point now, duration took) noexcept
{
    if (took <= limits::core_contention::costly) {
        costly_asks_.store(0, std::memory_order_relaxed);
        return;
    }
    const int in_a_row = costly_asks_.load(std::memory_order_relaxed) + 1;
    costly_asks_.store(in_a_row, std::memory_order_relaxed);
    if (in_a_row >= limits::core_contention::many_costly)
        store(costly_until_, now + limits::core_contention::costly_for);
}

}  // namespace zlink::load
