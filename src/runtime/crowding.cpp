// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/crowding.hpp"

#include <algorithm>

namespace zlink::runtime {

namespace {

// A longer loss counts as one of this: a time slice. What stops us for longer is a limit to our processor time.
constexpr std::chrono::milliseconds most_at_once{5};

}  // namespace

void crowding::measured(clock::time_point now, clock::duration took, clock::duration own) noexcept
{
    const clock::duration lost = took - own;
    if (lost <= long_yield || crowded(now)) return;
    // What several threads lose at the same time counts once, however late they come back.
    const clock::time_point last = load(counted_until_);
    if (now - took < last) return;
    store(counted_until_, now);
    clock::duration sum = std::min<clock::duration>(lost, most_at_once);
    int losses = 1;
    // A leaky bucket: where two thirds of the time remain ours, yielding is not what hurts.
    const clock::duration gap = now - took - last;
    const clock::duration before = clock::duration(lost_.load(std::memory_order_relaxed)) - gap / 2;
    if (gap <= longest_gap && before > clock::duration::zero()) {
        sum += before;
        losses += losses_.load(std::memory_order_relaxed);
    }
    lost_.store(sum.count(), std::memory_order_relaxed);
    losses_.store(losses, std::memory_order_relaxed);
    if (sum < much_lost || losses < many_losses) return;
    store(until_, now + pause);
    store(suspicious_until_, now + pause + suspicion);
}

void crowding::asked(clock::time_point now, clock::duration took) noexcept
{
    if (took <= dear) {
        dear_asks_.store(0, std::memory_order_relaxed);
        return;
    }
    const int in_a_row = dear_asks_.load(std::memory_order_relaxed) + 1;
    dear_asks_.store(in_a_row, std::memory_order_relaxed);
    if (in_a_row >= many_dear) store(dear_until_, now + dear_for);
}

clock::duration crowding::own_time(clock::time_point now) noexcept
{
    const auto time = clock::process_time();
    const auto end = clock::now();
    asked(end, end - now);
    return time;
}

crowding& crowding::of_process() noexcept
{
    static crowding the_one;
    return the_one;
}

}  // namespace zlink::runtime
