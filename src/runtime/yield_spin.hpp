// Lets other threads run for a moment before a thread really sleeps: on a shared core the thread it waits for goes on at
// once and no wake-up is paid; on a core of its own the wait is at most `longest`. Pays only where work comes quickly, so
// it watches its own success: a thread whose waits are longer stops trying, but for one wait in many.
#pragma once

#include <sched.h>

#include <chrono>

namespace zlink::runtime {

class yield_spin {
public:
    explicit yield_spin(bool enabled = true) noexcept : enabled_(enabled) {}

    /// True as soon as `ready()` is.
    template <class Ready>
    [[nodiscard]] bool operator()(Ready ready) noexcept
    {
        if (!enabled_) return false;
        if (score_ <= 0 && ++skipped_ < retry_after) return false;
        skipped_ = 0;
        const auto start = std::chrono::steady_clock::now();
        do {
            ::sched_yield();
            if (ready()) {
                if (score_ < most) ++score_;
                return true;
            }
        } while (std::chrono::steady_clock::now() - start < longest);
        if (score_ > 0) --score_;
        return false;
    }

private:
    static constexpr std::chrono::microseconds longest{20};
    static constexpr int most = 16;
    static constexpr int retry_after = 64;

    bool enabled_;
    int score_ = most;
    int skipped_ = 0;
};

}  // namespace zlink::runtime
