#include "socket/waiter.hpp"

#include "base/fork_safe_free_list.hpp"
#include "base/process_generation.hpp"

#include <linux/futex.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

namespace zlink::socket {

namespace {

// Sleeps are cut at this length, so that the kernel never restarts one by itself after a signal (a futex wait without
// time limit would be) and no caller depends on a single wake-up for ever.
constexpr std::chrono::hours longest_sleep{1};

// Where no eventfd can be had.
constexpr int slice_ms = 10;

timespec to_timespec(std::chrono::nanoseconds d) noexcept
{
    d = std::clamp<std::chrono::nanoseconds>(d, std::chrono::nanoseconds{0}, longest_sleep);
    return {static_cast<time_t>(d.count() / 1'000'000'000), static_cast<long>(d.count() % 1'000'000'000)};
}

std::chrono::nanoseconds left(const deadline& until) noexcept
{
    if (!until) return longest_sleep;
    return *until - std::chrono::steady_clock::now();
}

}  // namespace

deadline deadline_after(long timeout_ms) noexcept
{
    if (timeout_ms < 0) return std::nullopt;
    return std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
}

bool is_over(const deadline& until) noexcept
{
    return until && std::chrono::steady_clock::now() >= *until;
}

int poll_timeout(const deadline& until) noexcept
{
    if (!until) return -1;
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(*until - std::chrono::steady_clock::now()).count();
    return int(std::clamp<std::int64_t>(ms, 0, 3'600'000));
}

// Lends a waiter to a thread; a list without end of life holds those of ended threads.
struct waiter_slot {
    waiter_slot() noexcept
    {
        watch_forks();
        mine = left_behind.take();
        if (mine) {
            mine->state_.store(waiter::running, std::memory_order_relaxed);
        } else {
            mine = new (std::nothrow) waiter;
        }
    }
    ~waiter_slot()
    {
        if (mine) left_behind.give(*mine);
    }
    waiter_slot(const waiter_slot&) = delete;
    waiter_slot& operator=(const waiter_slot&) = delete;

    waiter* mine;
    static constinit inline fork_safe_free_list<waiter, &waiter::next_free_> left_behind;

    static waiter& shared() noexcept
    {
        // For threads that get none for lack of memory: they wake each other needlessly, and no more.
        static waiter last_resort;
        return last_resort;
    }
};

waiter& waiter::of_this_thread() noexcept
{
    thread_local waiter_slot slot;
    return slot.mine ? *slot.mine : waiter_slot::shared();
}

void waiter::wake() noexcept
{
    const std::uint32_t before = state_.exchange(signalled, std::memory_order_seq_cst);
    if (before == in_futex) {
        ::syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    } else if (before == in_poll) {
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto n = ::write(wake_fd_.load(std::memory_order_relaxed), &one, sizeof one);
    }
}

waiter::reason waiter::sleep(const deadline& until) noexcept
{
    std::uint32_t expected = running;
    if (!state_.compare_exchange_strong(expected, in_futex, std::memory_order_seq_cst)) return reason::woken;
    while (true) {
        const auto rest = left(until);
        const timespec limit = to_timespec(rest);
        long rc = 0;
        int error = 0;
        if (rest.count() > 0) {
            rc = ::syscall(SYS_futex, &state_, FUTEX_WAIT_PRIVATE, in_futex, &limit, nullptr, 0);
            error = rc < 0 ? errno : 0;
        } else {
            error = ETIMEDOUT;
        }
        if (error == EINTR) {
            // Whatever else has come: the caller looks for that, and nobody else tells of the signal.
            prepare();
            return reason::interrupted;
        }
        if (state_.load(std::memory_order_seq_cst) == signalled) return reason::woken;
        if (error == ETIMEDOUT && is_over(until)) {
            prepare();
            return reason::timed_out;
        }
    }
}

int waiter::wake_descriptor() noexcept
{
    int fd = wake_fd_.load(std::memory_order_relaxed);
    if (fd >= 0 && wake_fd_of_ != process_generation()) {
        // A child of fork, in the thread that forked: a wake-up of either process would be taken by the other.
        ::close(fd);
        fd = -1;
    }
    if (fd < 0) {
        wake_fd_of_ = process_generation();
        fd = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
        wake_fd_.store(fd, std::memory_order_relaxed);
    }
    return fd;
}

waiter::reason waiter::sleep(pollfd* fds, unsigned count, const deadline& until, const void* signal_mask) noexcept
{
    const int wake_fd = wake_descriptor();
    fds[0] = {wake_fd, POLLIN, 0};
    std::uint32_t expected = running;
    if (!state_.compare_exchange_strong(expected, in_poll, std::memory_order_seq_cst)) {
        for (unsigned i = 1; i < count; ++i) fds[i].revents = 0;
        return reason::woken;
    }
    timespec limit = to_timespec(left(until));
    if (wake_fd < 0)
        limit = std::min(limit, timespec{0, slice_ms * 1'000'000}, [](const timespec& a, const timespec& b) {
            return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
        });
    const int n =
        ::ppoll(fds, count, until || wake_fd < 0 ? &limit : nullptr, static_cast<const sigset_t*>(signal_mask));
    const int error = n < 0 ? errno : 0;
    const bool was_woken = state_.exchange(running, std::memory_order_seq_cst) == signalled;
    // Readable without a wake-up: the write of an earlier one came after its sleep had ended.
    if (wake_fd >= 0 && (was_woken || (fds[0].revents & POLLIN))) {
        std::uint64_t value = 0;
        [[maybe_unused]] const auto r = ::read(wake_fd, &value, sizeof value);
    }
    if (n < 0) {
        for (unsigned i = 1; i < count; ++i) fds[i].revents = 0;
        if (error == EINTR) return reason::interrupted;  // though woken, as above
    }
    if (n == 0 && !was_woken && is_over(until)) return reason::timed_out;
    return reason::woken;
}

}  // namespace zlink::socket
