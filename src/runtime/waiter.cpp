// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/waiter.hpp"

#include "base/cancellation.hpp"
#include "base/end_of_thread.hpp"
#include "base/fork_safe_free_list.hpp"
#include "base/process_generation.hpp"
#include "runtime/driver.hpp"
#include "runtime/futex.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <new>

namespace zlink::runtime {

namespace {

// Sleeps are cut at this length, so that the kernel never restarts one by itself after a signal (a futex wait without
// time limit would be) and no caller depends on a single wake-up for ever.
constexpr std::chrono::hours longest_sleep{1};

// Where no descriptor can be had.
constexpr std::chrono::milliseconds short_slice{10};
constexpr timespec slice{0, std::chrono::nanoseconds(short_slice).count()};

// A thread that has not gone to sleep for this long heeds signals (below), and so does one whose sleep lasts longer than
// `longest_unheeding`, which more than `many` sleeps within a tick of the cheap clock (1 to 10 ms) do not watch.
constexpr std::int64_t rest_ms = 5;
constexpr timespec longest_unheeding{0, 250'000'000};
constexpr std::uint32_t many = 40;

timespec to_timespec(std::chrono::nanoseconds d) noexcept
{
    d = std::clamp<std::chrono::nanoseconds>(d, std::chrono::nanoseconds{0}, longest_sleep);
    return {static_cast<time_t>(d.count() / 1'000'000'000), static_cast<long>(d.count() % 1'000'000'000)};
}

bool is_shorter(const timespec& a, const timespec& b) noexcept
{
    return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

std::chrono::nanoseconds left(const deadline& until) noexcept
{
    if (!until) return longest_sleep;
    return *until - clock::now();
}

// One of these signals has a handler, which runs as soon as the signal may come through.
bool any_handled(const sigset_t& signals, const sigset_t& blocked) noexcept
{
    for (int number = 1; number < NSIG; ++number) {
        if (::sigismember(&signals, number) != 1 || ::sigismember(&blocked, number) == 1) continue;
        struct sigaction action {};
        if (::sigaction(number, nullptr, &action) != 0) continue;
        if ((action.sa_flags & SA_SIGINFO) || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN))
            return true;
    }
    return false;
}

class all_signals_blocked {
public:
    all_signals_blocked() noexcept
    {
        sigset_t all;
        ::sigfillset(&all);
        valid_ = ::pthread_sigmask(SIG_SETMASK, &all, &before_) == 0;
    }
    ~all_signals_blocked()
    {
        const int error = errno;
        if (valid_) ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);  // here handlers run
        errno = error;
    }
    all_signals_blocked(const all_signals_blocked&) = delete;
    all_signals_blocked& operator=(const all_signals_blocked&) = delete;

    [[nodiscard]] bool valid() const noexcept { return valid_; }
    [[nodiscard]] const sigset_t& before() const noexcept { return before_; }

private:
    sigset_t before_;
    bool valid_;
};

// ppoll(2) that tells of a signal's handler also when there is something else to tell. The kernel says EINTR only if no
// descriptor is ready by the time the thread runs, and a futex not even then; when a peer ends with the program that it
// serves (Ctrl-C goes to both), one is. Here signals come through during the sleep alone: one that meets a ready
// descriptor is still pending afterwards, and can be asked for before its handler runs.
int heeding_ppoll(pollfd* fds, unsigned count, const timespec* limit, bool& interrupted)
{
    const all_signals_blocked blocked;
    if (!blocked.valid()) return ::ppoll(fds, count, limit, nullptr);
    const int n = ::ppoll(fds, count, limit, &blocked.before());
    const int error = errno;
    sigset_t pending;
    interrupted = n >= 0 && ::sigpending(&pending) == 0 && any_handled(pending, blocked.before());
    errno = error;
    return n;
}

}  // namespace

// Lends waiters to threads; a list without end of life holds those of ended threads.
struct waiter_lender {
    static waiter* lend() noexcept
    {
        watch_forks();
        waiter* const w = left_behind.take();
        if (!w) return new (std::nothrow) waiter;
        w->state_.store(waiter::running, std::memory_order_relaxed);
        w->last_sleep_ms_.store(waiter::never, std::memory_order_relaxed);
        w->sleeps_.store(0, std::memory_order_relaxed);
        return w;
    }
    static void take_back(waiter& w) noexcept { left_behind.give(w); }

    static constinit inline fork_safe_free_list<waiter, &waiter::next_free_> left_behind;

    static waiter& shared() noexcept
    {
        // For threads that get none for lack of memory, or for the first time in the process's last moments: they wake each
        // other needlessly, and no more.
        alignas(waiter) static std::byte memory[sizeof(waiter)];
        static waiter& last_resort = *::new (static_cast<void*>(memory)) waiter;  // without end of life
        return last_resort;
    }
};

waiter& waiter::of_this_thread() noexcept
{
    waiter* const mine = one_of_each_thread<waiter, waiter_lender::lend, waiter_lender::take_back>::get();
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

// Sleeps that follow each other closely are those of messages, and cost as little as they can: heeding signals takes two to
// four system calls more, and an end where the caller gave none takes a timer. What they miss the next message makes up for.
waiter::pace waiter::next_pace() noexcept
{
    const std::int64_t now_ms = clock::coarse().count();
    const std::int64_t last_ms = last_sleep_ms_.load(std::memory_order_relaxed);
    const std::uint32_t sleeps = sleeps_.load(std::memory_order_relaxed);
    if (now_ms != last_ms) {
        last_sleep_ms_.store(now_ms, std::memory_order_relaxed);
        sleeps_before_.store(sleeps, std::memory_order_relaxed);
        sleeps_.store(1, std::memory_order_relaxed);
        if (now_ms - last_ms >= rest_ms) return pace::rested;
    } else {
        sleeps_.store(sleeps + 1, std::memory_order_relaxed);
    }
    return sleeps > many || sleeps_before_.load(std::memory_order_relaxed) > many ? pace::hurried : pace::steady;
}

// A thread that is cancelled in its sleep leaves the state as it is: whoever sleeps next with this waiter sets it first.

waiter::reason waiter::sleep(const deadline& until)
{
    if (driver* const loop = driver::of_this_thread()) [[unlikely]] {
        pollfd own[1];
        return sleep_stepping(*loop, own, 1, until, nullptr);
    }
    if (next_pace() == pace::rested && has_descriptor()) {
        pollfd own[1];
        return sleep_in_poll(own, 1, until, nullptr, pace::rested);
    }
    std::uint32_t expected = running;
    if (!state_.compare_exchange_strong(expected, in_futex, std::memory_order_seq_cst)) return reason::woken;
    while (true) {
        const auto rest = left(until);
        const timespec limit = std::min(to_timespec(rest), longest_unheeding, is_shorter);
        cancellation_point();  // a futex wait is none, and is cut short often enough
        const int error = rest.count() > 0 ? futex_wait(state_, in_futex, limit) : ETIMEDOUT;
        if (error == EINTR) {
            // Whatever else has come: the caller looks for that, and nobody else tells of the signal.
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
        pollfd own[1];
        return sleep_in_poll(own, 1, until, nullptr, pace::rested);
    }
}

bool waiter::has_descriptor() noexcept
{
    // In a child of fork, in the thread that forked, it is a new one: a wake-up of either process would be taken by the other.
    if (wake_up_.get() >= 0 && wake_up_of_ == process_generation()) return true;
    wake_up_of_ = process_generation();
    return wake_up_.open();
}

waiter::reason waiter::sleep(pollfd* fds, unsigned count, const deadline& until, const sigset_t* signal_mask)
{
    if (driver* const loop = driver::of_this_thread()) [[unlikely]] {
        return sleep_stepping(*loop, fds, count, until, signal_mask);
    }
    // Who hands in a mask has blocked the signals that it lets through: they stay pending, and end the next sleep.
    return sleep_in_poll(fds, count, until, signal_mask, signal_mask ? pace::hurried : next_pace());
}

waiter::reason waiter::sleep_in_poll(pollfd* fds, unsigned count, const deadline& until, const sigset_t* signal_mask,
                                     pace how, const driver* own)
{
    const bool can_wake = has_descriptor();
    fds[0] = {own ? own->descriptor() : wake_up_.get(), POLLIN, 0};
    std::uint32_t expected = running;
    if (!state_.compare_exchange_strong(expected, in_poll, std::memory_order_seq_cst)) {
        for (unsigned i = 1; i < count; ++i) fds[i].revents = 0;
        return reason::woken;
    }
    int n = 0;
    int error = 0;
    bool interrupted = false;
    bool is_cut = false;
    do {
        if (is_cut) how = pace::rested;
        timespec limit = to_timespec(left(until));
        if (!can_wake) limit = std::min(limit, slice, is_shorter);
        is_cut = !signal_mask && (how == pace::steady || (how == pace::hurried && until)) &&
                 is_shorter(longest_unheeding, limit);
        if (is_cut) limit = longest_unheeding;
        const timespec* const end = until || is_cut || !can_wake ? &limit : nullptr;
        n = how == pace::rested ? heeding_ppoll(fds, count, end, interrupted) : ::ppoll(fds, count, end, signal_mask);
        error = n < 0 ? errno : 0;
    } while (n == 0 && is_cut);
    const bool was_woken = state_.exchange(running, std::memory_order_seq_cst) == signalled;
    // Readable without a wake-up: the write of an earlier one came after its sleep had ended.
    if (can_wake && (was_woken || (fds[0].revents & POLLIN))) (void)wake_up_.take();
    if (n < 0) {
        for (unsigned i = 1; i < count; ++i) fds[i].revents = 0;
        interrupted |= error == EINTR;
    }
    if (interrupted) return reason::interrupted;  // though woken, as above
    if (n == 0 && !was_woken && is_over(until)) return reason::timed_out;
    return reason::woken;
}

// Whoever waits looks again after each step, and comes back. Its wake-ups make the loop's descriptor readable, too.
waiter::reason waiter::sleep_stepping(driver& own, pollfd* fds, unsigned count, const deadline& until,
                                      const sigset_t* signal_mask)
{
    constexpr std::chrono::microseconds budget{100};
    std::chrono::nanoseconds pause = own.step(budget);
    if (pause <= pause.zero()) {
        for (unsigned i = 0; i < count; ++i) fds[i].revents = 0;
        return is_over(until) ? reason::timed_out : reason::woken;
    }
    if (!has_descriptor() || !own.listen_to(wake_up_.get()))
        pause = std::min<std::chrono::nanoseconds>(pause, short_slice);
    deadline end = until;
    if (pause < longest_sleep && (!until || *until - clock::now() > pause)) end = clock::now() + pause;
    const reason why = sleep_in_poll(fds, count, end, signal_mask, signal_mask ? pace::hurried : pace::rested, &own);
    return why == reason::timed_out && !is_over(until) ? reason::woken : why;
}

}  // namespace zlink::runtime
