// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A timer. Its handler runs for the deadline that was set last, and for no other: not after cancel(), and not after the
// timer is gone.
#pragma once

#include "runtime/clock.hpp"
#include "runtime/timer_queue.hpp"

#include <chrono>
#include <functional>
#include <utility>

namespace zlink::runtime {

class event_loop;

/// All calls on the loop's thread. While no deadline is set, it may be made and destroyed on any thread.
class deadline_timer : private timer_queue::entry {
public:
    using time_point = clock::time_point;

    explicit deadline_timer(event_loop& loop) noexcept : loop_(loop) {}
    deadline_timer(const deadline_timer&) = delete;
    deadline_timer& operator=(const deadline_timer&) = delete;
    ~deadline_timer() { cancel(); }

    /// Calls `handler` at `at`; an earlier deadline is replaced. The handler may end the timer, or start it again.
    /// False: memory is short, no deadline is set.
    template <class Handler>
    [[nodiscard]] bool start(time_point at, Handler handler) noexcept
    {
        cancel();
        try {
            handler_ = std::move(handler);
        } catch (...) {
            return false;
        }
        return begin(at);
    }
    /// The same, from now on.
    template <class Handler>
    [[nodiscard]] bool start_after(std::chrono::nanoseconds wait, Handler handler) noexcept
    {
        return start(clock::now() + wait, std::move(handler));
    }

    /// Of one timer of a loop, which has no deadline yet: memory is never short for it, if the handler needs none. For a
    /// loop that is not driven yet. False: memory is short now.
    [[nodiscard]] bool keep_place() noexcept;
    [[nodiscard]] bool is_set() const noexcept { return queued(); }

    void cancel() noexcept
    {
        if (queued()) end();
    }

private:
    friend class event_loop;

    [[nodiscard]] bool begin(time_point at) noexcept;
    void end() noexcept;
    /// The deadline has come, and this has been taken out of the queue.
    void expire() noexcept;

    event_loop& loop_;
    std::function<void()> handler_;
};

}  // namespace zlink::runtime
