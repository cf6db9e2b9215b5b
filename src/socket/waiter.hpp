// How one thread sleeps until any of its sockets needs attention. Each thread has one waiter; it is never freed while
// another thread may still call wake(), so waiters of ended threads are kept for new ones.
//
// state: running -> (sleep) futex or descriptors -> running. wake() leaves `signalled` behind, whatever the state, so a
// wake-up between the last look and the sleep is not lost.
#pragma once

#include <poll.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace zlink::socket {

using deadline = std::optional<std::chrono::steady_clock::time_point>;  ///< none: wait for ever

/// From a timeout in ms; negative: none.
[[nodiscard]] deadline deadline_after(long timeout_ms) noexcept;
[[nodiscard]] bool is_over(const deadline& until) noexcept;
/// Milliseconds left, rounded up, for poll(); -1: for ever.
[[nodiscard]] int poll_timeout(const deadline& until) noexcept;

class waiter {
public:
    [[nodiscard]] static waiter& of_this_thread() noexcept;

    /// Any thread.
    void wake() noexcept;

    /// Forgets wake-ups so far. Call before the last look at what is waited for.
    void prepare() noexcept { state_.store(running, std::memory_order_seq_cst); }

    enum class reason { woken, timed_out, interrupted };
    /// Sleeps until wake(), the deadline or a signal. interrupted: a signal's handler ran, and perhaps wake() has been called,
    /// too; so the caller has to look for what it waits for. Every handler that runs during a sleep is told of, but where sleeps
    /// follow each other within milliseconds, in their first 20 ms, and without a deadline in a flood of them.
    [[nodiscard]] reason sleep(const deadline& until) noexcept;
    /// The same, also until a descriptor is ready. `fds[0]` is the waiter's own to fill in. False on return of
    /// descriptor(): sleeps in short slices instead.
    [[nodiscard]] reason sleep(pollfd* fds, unsigned count, const deadline& until,
                               const void* signal_mask = nullptr) noexcept;

    waiter(const waiter&) = delete;
    waiter& operator=(const waiter&) = delete;

private:
    friend struct waiter_slot;
    waiter() = default;
    [[nodiscard]] int wake_descriptor() noexcept;
    /// How closely a thread's sleeps follow each other: rested ones heed signals at any price.
    enum class pace { rested, steady, hurried };
    [[nodiscard]] pace next_pace() noexcept;
    [[nodiscard]] reason sleep_in_poll(pollfd* fds, unsigned count, const deadline& until, const void* signal_mask,
                                       pace how) noexcept;

    enum : std::uint32_t { running, in_futex, in_poll, signalled };
    std::atomic<std::uint32_t> state_{running};
    std::atomic<int> wake_fd_{-1};
    static constexpr std::int64_t never = -1'000'000;
    // Of this thread alone; atomic for the waiter that threads may have to share.
    std::atomic<std::int64_t> last_sleep_ms_{never};
    std::atomic<std::uint32_t> sleeps_{0};         ///< within the tick of that time
    std::atomic<std::uint32_t> sleeps_before_{0};  ///< within the tick before
    std::uint64_t wake_fd_of_ = 0;  ///< process_generation() when it was made: parent and child must not share one
    waiter* next_free_ = nullptr;
};

}  // namespace zlink::socket
