// A timer whose handler runs for the deadline that was set last, and for no other: not after cancel(), not after the
// timer is gone, even when the handler was on its way already.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

namespace zlink::runtime {

class event_loop;

/// Everything on the loop's thread. Without a deadline it may be made and destroyed on any thread, and takes next to no memory.
class deadline_timer {
public:
    using time_point = std::chrono::steady_clock::time_point;

    explicit deadline_timer(event_loop& loop) noexcept : loop_(loop) {}
    deadline_timer(const deadline_timer&) = delete;
    deadline_timer& operator=(const deadline_timer&) = delete;
    ~deadline_timer() { cancel(); }

    /// Calls `handler` at `at`, in place of an earlier deadline's. The handler may end the timer, or start it again. False:
    /// memory is short, no deadline is set.
    template <class Handler>
    [[nodiscard]] bool start(time_point at, Handler handler) noexcept
    {
        cancel();
        try {
            set(at, std::function<void()>(std::move(handler)));
            return true;
        } catch (...) {
            return false;
        }
    }
    /// The same, from now on.
    template <class Handler>
    [[nodiscard]] bool start_after(std::chrono::nanoseconds wait, Handler handler) noexcept
    {
        return start(std::chrono::steady_clock::now() + wait, std::move(handler));
    }

    void cancel() noexcept;

private:
    struct state;

    void set(time_point at, std::function<void()> handler);

    event_loop& loop_;
    std::shared_ptr<state> state_;  ///< from the first start() on
};

}  // namespace zlink::runtime
