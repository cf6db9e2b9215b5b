// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/waiter.hpp"

#include "base/cancellation.hpp"
#include "base/fork_safe_free_list.hpp"
#include "base/invariant.hpp"
#include "base/process_generation.hpp"
#include "base/thread_state.hpp"
#include "runtime/driver.hpp"
#include "runtime/futex.hpp"
#include "runtime/sleep_limit.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <new>

namespace zlink::runtime {

// Lends waiters to threads. A list that is never destroyed holds those of ended threads.
struct waiter_lender {
    static waiter* lend() noexcept
    {
        watch_forks();
        waiter* const w = left_behind.take();
        if (!w) return new (std::nothrow) waiter;
        w->state_.store(waiter::running, std::memory_order_relaxed);
        w->pace_.begin();
        return w;
    }
    static void take_back(waiter& w) noexcept { left_behind.give(w); }

    static constinit inline fork_safe_free_list<waiter, &waiter::next_free_> left_behind;

    static waiter& shared() noexcept
    {
        // For threads that get none: memory is short, or they first ask while the process ends. They wake each other
        // needlessly, which is harmless.
        alignas(waiter) static std::byte memory[sizeof(waiter)];
        static waiter& last_resort = *::new (static_cast<void*>(memory)) waiter;  // never destroyed
        return last_resort;
    }
};

waiter& waiter::of_this_thread() noexcept
{
    using mine_of_each = one_of_each_thread<thread_slot::waiter, waiter, waiter_lender::lend, waiter_lender::take_back>;
    waiter* const mine = mine_of_each::get();
    return mine ? *mine : waiter_lender::shared();
}

void waiter::wake() noexcept
{
    const std::uint32_t before = state_.exchange(signalled, std::memory_order_seq_cst);
    if (before == in_futex) {
        futex_wake(state_, 1);
    } else if (before == in_poll) {
        wake_up_.raise();
    }
}

// A thread that is cancelled in its sleep leaves the state as it is: the waiter's next sleep sets it first.

waiter::reason waiter::sleep(const deadline& until)
{
    pollfd own[1];
    if (driver* const loop = driver::of_this_thread()) [[unlikely]] {
        return sleep_stepping(*loop, {own, 1}, until);
    }
    if (next_pace() == pace::rested && has_descriptor()) return sleep_polling({own, 1}, until, pace::rested);
    std::uint32_t expected = running;
    if (!state_.compare_exchange_strong(expected, in_futex, std::memory_order_seq_cst)) return reason::woken;
    while (true) {
        const auto rest = sleep_limit::left(until);
        const timespec limit =
            sleep_limit::to_timespec(std::min<std::chrono::nanoseconds>(rest, sleep_limit::longest_unheeding));
        cancellation_point();  // a futex wait is not one, and is cut short often enough
        const int error = rest.count() > 0 ? futex_wait(state_, in_futex, limit) : ETIMEDOUT;
        if (error == EINTR) {
            // The caller looks for all other news itself, but only this result tells it of the signal.
            prepare();
            return reason::interrupted;
        }
        if (state_.load(std::memory_order_seq_cst) == signalled) return reason::woken;
        if (error != ETIMEDOUT) continue;
        if (is_over(until)) {
            prepare();
            return reason::timed_out;
        }
        expected = in_futex;
        if (!has_descriptor()) continue;
        if (!state_.compare_exchange_strong(expected, running, std::memory_order_seq_cst)) return reason::woken;
        return sleep_polling({own, 1}, until, pace::rested);
    }
}

bool waiter::has_descriptor() noexcept
{
    // In a child of fork, the thread that forked makes a new one: with a shared one, each process could take the
    // other's wake-ups.
    if (wake_up_.get() >= 0 && wake_up_of_ == process_generation()) return true;
    wake_up_of_ = process_generation();
    return wake_up_.open();
}

waiter::reason waiter::sleep(pollfd* fds, unsigned count, const deadline& until, const sigset_t* signal_mask)
{
    const poll_set what{fds, count, signal_mask};
    if (driver* const loop = driver::of_this_thread()) [[unlikely]] {
        return sleep_stepping(*loop, what, until);
    }
    // A caller that hands in a mask has blocked the signals that it lets through: they stay pending, and end the next
    // sleep.
    return sleep_polling(what, until, signal_mask ? pace::hurried : next_pace());
}

// `own`: the loop that this thread drives. A wake-up makes the loop's descriptor readable, too.
waiter::reason waiter::sleep_polling(const poll_set& what, const deadline& until, pace how, const driver* own)
{
    invariant([&] { return what.count != 0; });
    const bool can_wake = has_descriptor();
    what.fds[0] = {own ? own->descriptor() : wake_up_.get(), POLLIN, 0};
    std::uint32_t expected = running;
    if (!state_.compare_exchange_strong(expected, in_poll, std::memory_order_seq_cst)) {
        what.report_nothing();
        return reason::woken;
    }
    const poll_end end = sleep_in_poll(what, until, how);
    const bool was_woken = state_.exchange(running, std::memory_order_seq_cst) == signalled;
    // Readable without a wake-up: the write of an earlier one came after its sleep had ended.
    if (can_wake && (was_woken || (what.fds[0].revents & POLLIN))) (void)wake_up_.take();
    if (end == poll_end::interrupted) return reason::interrupted;  // even if woken, as above
    if (end == poll_end::nothing && !was_woken && is_over(until)) return reason::timed_out;
    return reason::woken;
}

// The caller looks again after each step, and comes back. Its wake-ups make the loop's descriptor readable, too.
waiter::reason waiter::sleep_stepping(driver& own, const poll_set& what, const deadline& until)
{
    constexpr std::chrono::microseconds budget{100};
    std::chrono::nanoseconds pause = own.step(budget);
    if (pause <= pause.zero()) {
        what.fds[0].revents = 0;
        what.report_nothing();
        return is_over(until) ? reason::timed_out : reason::woken;
    }
    if (!has_descriptor() || !own.listen_to(wake_up_.get()))
        pause = std::min<std::chrono::nanoseconds>(pause, sleep_limit::without_wake_ups);
    deadline end = until;
    if (pause < sleep_limit::longest && (!until || *until - clock::now() > pause)) end = clock::now() + pause;
    const reason why = sleep_polling(what, end, what.signal_mask ? pace::hurried : pace::rested, &own);
    return why == reason::timed_out && !is_over(until) ? reason::woken : why;
}

}  // namespace zlink::runtime
