// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How one thread sleeps until something that it waits for needs attention. Each thread has one waiter. It is never
// freed while another thread may still call wake(), so waiters of ended threads are kept for new ones. A thread keeps
// its own until all destructors that may wait have run (base/thread_state.hpp).
//
// state: running -> (sleep) futex or descriptors -> running. wake() leaves `signalled` behind, whatever the state.
// So a wake-up between the last look and the sleep is not lost.
//
// If a thread drives an event loop itself (driver.hpp), it steps that loop in its sleeps.
#pragma once

#include "runtime/clock.hpp"
#include "runtime/deadline.hpp"
#include "runtime/poll_sleep.hpp"
#include "runtime/signal_descriptor.hpp"
#include "runtime/sleep_pace.hpp"

#include <poll.h>
#include <signal.h>

#include <atomic>
#include <cstdint>

namespace zlink::runtime {

class driver;

class waiter {
public:
    [[nodiscard]] static waiter& of_this_thread() noexcept;

    /// Any thread: after this, the waiting thread sees all news that was announced before.
    void wake() noexcept;

    /// Forgets wake-ups so far. To be called before the last look for news.
    void prepare() noexcept { state_.store(running, std::memory_order_seq_cst); }

    enum class reason { woken, timed_out, interrupted };
    /// Sleeps until wake(), the deadline or a signal. interrupted: a signal's handler ran. wake() may have been called,
    /// too, so the caller has to look for its news. Every handler that runs during a sleep is reported, with
    /// two exceptions. If sleeps follow each other within milliseconds, a handler in a sleep's first 250 ms may go
    /// unreported. In a flood of such sleeps, so may any handler in a sleep without a deadline. Sleeps are cancellation
    /// points (base/cancellation.hpp), within 250 ms.
    [[nodiscard]] reason sleep(const deadline& until);
    /// The same, also until a descriptor is ready. The waiter fills in `fds[0]` itself. `signal_mask` is in force
    /// meanwhile, as in ppoll(2).
    [[nodiscard]] reason sleep(pollfd* fds, unsigned count, const deadline& until,
                               const sigset_t* signal_mask = nullptr);

    waiter(const waiter&) = delete;
    waiter& operator=(const waiter&) = delete;

private:
    friend struct waiter_lender;
    waiter() = default;
    [[nodiscard]] bool has_descriptor() noexcept;
    [[nodiscard]] pace next_pace() noexcept { return pace_.next(clock::coarse().count()); }
    [[nodiscard]] reason sleep_polling(const poll_set& what, const deadline& until, pace how,
                                       const driver* own = nullptr);
    [[nodiscard]] reason sleep_stepping(driver& own, const poll_set& what, const deadline& until);

    enum : std::uint32_t { running, in_futex, in_poll, signalled };
    std::atomic<std::uint32_t> state_{running};
    signal_descriptor wake_up_;
    sleep_pace pace_;
    std::uint64_t wake_up_of_ = 0;  ///< process_generation() when it was made: parent and child must not share one
    waiter* next_free_ = nullptr;
};

}  // namespace zlink::runtime
