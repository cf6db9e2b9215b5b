// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The only clock of the library. All code asks it and not the system, so that another clock can take its place.
#pragma once

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <ctime>

namespace zlink::runtime {

struct clock {
    using duration = std::chrono::steady_clock::duration;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::steady_clock::time_point;
    static constexpr bool is_steady = true;

    [[nodiscard]] static time_point now() noexcept { return std::chrono::steady_clock::now(); }

    /// Cheaper and coarser: it moves on in steps of 1 to 10 ms.
    [[nodiscard]] static std::chrono::milliseconds coarse() noexcept;

    /// Processor time of all threads of this process so far. A system call.
    [[nodiscard]] static std::chrono::nanoseconds process_time() noexcept;
};

/// The calling thread's use of the processor so far.
struct thread_usage {
    std::chrono::microseconds time{};  ///< the time that it has run
    long preemptions = 0;              ///< how often the processor was taken from it
    long sleeps = 0;                   ///< how often it has waited for something, without the processor
    pthread_t thread{};

    /// A system call.
    [[nodiscard]] static thread_usage now() noexcept;
    /// The same, `sleeps` alone.
    [[nodiscard]] static long sleeps_now() noexcept { return now().sleeps; }
};

/// Processor time of one thread, for any thread to read.
class thread_clock {
public:
    /// From now on the clock is that of the calling thread.
    void begin() noexcept;
    /// From now on the clock is that of no thread.
    void end() noexcept { id_.store(none, std::memory_order_relaxed); }
    /// How long the thread has run; zero if the clock has no thread. A system call.
    [[nodiscard]] std::chrono::nanoseconds time() const noexcept;
    /// The clock is that of the calling thread, or of no thread. For invariants.
    [[nodiscard]] bool is_callers_or_nobodys() const noexcept;

private:
    static constexpr clockid_t none = CLOCK_REALTIME;
    std::atomic<clockid_t> id_{none};  ///< no partner: an early look finds that nothing has run
};

}  // namespace zlink::runtime
