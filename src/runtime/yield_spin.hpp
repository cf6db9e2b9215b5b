// Lets other threads run for a moment before a thread really sleeps: on a shared core the thread it waits for goes on at
// once and no wake-up is paid; on a core of its own the wait is at most `longest`. Pays only where work comes quickly, so
// it watches its own success: a thread whose waits are longer stops trying, but for one wait in many. And it stops
// when yielding turns out to mean waiting for other programs (crowding.hpp).
#pragma once

#include "runtime/clock.hpp"
#include "runtime/crowding.hpp"
#include "runtime/pause.hpp"

#include <chrono>

namespace zlink::runtime {

class yield_spin {
public:
    explicit yield_spin(bool enabled = true, std::chrono::microseconds longest = default_longest,
                        crowding& crowd = crowding::of_process()) noexcept
        : crowd_(crowd),
          longest_(longest),
          enabled_(enabled)
    {}

    static constexpr std::chrono::microseconds default_longest{20};

    /// True as soon as `ready()` is.
    template <class Ready>
    [[nodiscard]] bool operator()(Ready ready) noexcept
    {
        if (!enabled_) return false;
        if (score_ <= 0 && ++skipped_ < retry_after) return false;
        const auto start = clock::now();
        if (crowd_.crowded(start)) [[unlikely]]
            return false;
        skipped_ = 0;
        const bool measured = crowd_.measures(start);
        const auto own_before = measured ? crowd_.own_time(start) : clock::duration{};
        bool found = false;
        clock::duration took{};
        do {
            yield();
            found = ready();
            took = clock::now() - start;
        } while (!found && took < longest_);
        if (took > longest_ + crowding::long_yield) [[unlikely]] {
            crowd_.suspect(start + took);
            if (measured) crowd_.measured(start + took, took, crowd_.own_time(start + took) - own_before);
        }
        if (!found) {
            lower(cost_of_failure);
        } else if (score_ < most) {
            ++score_;
        }
        return found;
    }

    /// The last success was none: a sleep would have come out better.
    void was_in_vain() noexcept { lower(1 + cost_of_failure); }

private:
    void lower(int by) noexcept { score_ = score_ > by ? score_ - by : 0; }

    static constexpr int most = 16;
    static constexpr int cost_of_failure = 4;  ///< in successes: yielding in vain burns more than a sleep costs
    static constexpr int retry_after = 64;

    crowding& crowd_;
    std::chrono::microseconds longest_;
    bool enabled_;
    int score_ = most;
    int skipped_ = 0;
};

}  // namespace zlink::runtime
