// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/poll_sleep.hpp"

#include "base/invariant.hpp"
#include "runtime/sleep_limit.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>

namespace zlink::runtime {

namespace {

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
        if (valid_) ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);  // handlers run here
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

struct outcome {
    int ready;  ///< as ppoll(2) returns
    bool interrupted;
};

outcome plain_ppoll(const poll_set& what, const timespec* limit)
{
    const int n = ::ppoll(what.fds, what.count, limit, what.signal_mask);
    return {n, n < 0 && errno == EINTR};
}

// Signals come through only during the sleep. If a descriptor is ready when a signal comes, the signal is still pending
// afterwards, and can be asked for before its handler runs.
outcome heeding_ppoll(const poll_set& what, const timespec* limit)
{
    const all_signals_blocked blocked;
    if (!blocked.valid()) return plain_ppoll({what.fds, what.count}, limit);
    const int n = ::ppoll(what.fds, what.count, limit, &blocked.before());
    if (n < 0) return {n, errno == EINTR};
    sigset_t pending;
    return {n, ::sigpending(&pending) == 0 && any_handled(pending, blocked.before())};
}

}  // namespace

poll_end sleep_in_poll(const poll_set& what, const deadline& until, pace how)
{
    invariant([&] { return what.count != 0 && (how != pace::rested || !what.signal_mask); });
    const bool can_be_woken = what.fds[0].fd >= 0;
    outcome result{};
    bool is_cut = false;
    do {
        if (is_cut) how = pace::rested;
        auto limit = sleep_limit::left(until);
        if (!can_be_woken) limit = std::min<std::chrono::nanoseconds>(limit, sleep_limit::without_wake_ups);
        is_cut = !what.signal_mask && (how == pace::steady || (how == pace::hurried && until)) &&
                 limit > sleep_limit::longest_unheeding;
        if (is_cut) limit = sleep_limit::longest_unheeding;
        const timespec length = sleep_limit::to_timespec(limit);
        const timespec* const end = until || is_cut || !can_be_woken ? &length : nullptr;
        result = how == pace::rested ? heeding_ppoll(what, end) : plain_ppoll(what, end);
    } while (result.ready == 0 && is_cut);
    if (result.ready < 0) what.report_nothing();
    if (result.interrupted) return poll_end::interrupted;
    return result.ready == 0 ? poll_end::nothing : poll_end::ready;
}

}  // namespace zlink::runtime
