// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Lets other threads run for a moment before a thread really sleeps: on a shared core the thread it waits for goes on at
// once and no wake-up is paid; on a core of its own the wait is at most `longest`. Pays only where work comes quickly, so
// it watches its own success: a thread whose waits are longer stops trying, but for one wait in many. And it stops
// when yielding turns out to mean waiting for other programs (crowding.hpp).
#pragma once

#include "runtime/clock.hpp"
#include "runtime/crowding.hpp"
#include "runtime/pause.hpp"

#include <algorithm>
#include <chrono>

namespace zlink::runtime {

class yield_spin {
public:
    /// `late_after`: what is found later than this counts as a failure, and who fails again and again tries ever more rarely.
    /// For threads that have one peer to wait for, and maybe many others beside them: who is woken goes first, who has yielded
    /// goes last. (Who fills or drains a queue gains by the time that the others had.)
    explicit yield_spin(bool enabled = true, std::chrono::microseconds longest = default_longest,
                        crowding& crowd = crowding::of_process(), std::chrono::microseconds late_after = never) noexcept
        : crowd_(crowd),
          longest_(longest),
          late_after_(late_after),
          enabled_(enabled)
    {}

    static constexpr std::chrono::microseconds never = std::chrono::hours(24 * 365);
    static constexpr std::chrono::microseconds default_longest{20};
    static constexpr std::chrono::microseconds late_for_one_peer = default_longest + crowding::long_yield;

    /// True as soon as `ready()` is.
    template <class Ready>
    [[nodiscard]] bool operator()(Ready ready) noexcept
    {
        if (!enabled_) return false;
        if (score_ <= 0 && ++skipped_ < retry_after_) return false;
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
        if (!found || took > late_after_) {
            if (score_ == 0 && late_after_ != never) retry_after_ = std::min(2 * retry_after_, longest_retry_after);
            lower(cost_of_failure);
        } else if (score_ < most) {
            if (++score_ > cost_of_failure) retry_after_ = first_retry_after;
        }
        return found;
    }

    [[nodiscard]] bool enabled() const noexcept { return enabled_; }

    /// The last success was none: a sleep would have come out better.
    void was_in_vain() noexcept { lower(1 + cost_of_failure); }

private:
    void lower(int by) noexcept { score_ = score_ > by ? score_ - by : 0; }

    static constexpr int most = 16;
    static constexpr int cost_of_failure = 4;  ///< in successes: yielding in vain burns more than a sleep costs
    static constexpr int first_retry_after = 64;
    static constexpr int longest_retry_after = 4096;

    crowding& crowd_;
    std::chrono::microseconds longest_;
    std::chrono::microseconds late_after_;
    bool enabled_;
    int score_ = most;
    int skipped_ = 0;
    int retry_after_ = first_retry_after;  ///< doubled by each try in vain, until several have not been
};

}  // namespace zlink::runtime
