// Whether other programs want our cores. On a core of our own, or shared with our own threads alone, a thread that yields is
// back in a moment. On one that another program computes on, it is back after that program's time slice, some
// milliseconds later, while a thread that sleeps is run as soon as it is woken: there, nobody should yield.
#pragma once

#include <atomic>
#include <chrono>

namespace zlink::runtime {

class crowding {
public:
    using clock = std::chrono::steady_clock;

    /// A yield that took longer than this was not spent on small pieces of work.
    static constexpr std::chrono::microseconds long_yield{200};

    [[nodiscard]] bool crowded(clock::time_point now) const noexcept
    {
        return now.time_since_epoch().count() < until_.load(std::memory_order_relaxed);
    }

    /// A yield that ended at `now` gave `lost` away to others. Nobody is to yield for a multiple of that, so that the next
    /// attempt costs a few percent at most.
    void note(clock::time_point now, clock::duration lost) noexcept
    {
        until_.store((now + lost * pause_factor).time_since_epoch().count(), std::memory_order_relaxed);
    }

    /// Processor time of all threads of this process so far. A system call.
    [[nodiscard]] static clock::duration own_time() noexcept;

    /// The whole process: a thread meets the others on any core.
    [[nodiscard]] static crowding& of_process() noexcept;

private:
    static constexpr int pause_factor = 30;

    std::atomic<clock::rep> until_{clock::time_point::min().time_since_epoch().count()};
};

}  // namespace zlink::runtime
