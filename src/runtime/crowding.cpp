#include "runtime/crowding.hpp"

#include <time.h>

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

crowding::clock::duration crowding::own_time() noexcept
{
    timespec t{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

crowding& crowding::of_process() noexcept
{
    static crowding the_one;
    return the_one;
}

}  // namespace zlink::runtime
