// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Work for the thread of an event loop. A task is a member of the object that it works on, so to queue it takes no
// memory. So an object can be stopped, or let go, even if memory is short.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

namespace zlink::runtime {

class task {
public:
    task() = default;
    task(const task&) = delete;
    task& operator=(const task&) = delete;

    /// On the loop's thread; may end the task itself.
    virtual void run() noexcept = 0;

protected:
    ~task() = default;

private:
    friend class task_queue;
    task* next_ = nullptr;  ///< in the loop's queue
};

/// Calls a member function of a `Target`, which lives at least until then.
template <class Target>
class call_on final : public task {
public:
    using function = void (Target::*)() noexcept;

    explicit call_on(function what) noexcept : what_(what) {}

    /// Any thread: false if it is queued already, and has not begun to run. The run to come then sees all that the
    /// caller did before.
    [[nodiscard]] bool take_up(std::shared_ptr<Target> target) noexcept
    {
        if (queued_.exchange(true, std::memory_order_acq_rel)) return false;
        target_ = std::move(target);
        return true;
    }

    void run() noexcept override
    {
        const std::shared_ptr<Target> target = std::move(target_);
        // Partner: take_up(). An exchange, because the function called below has to see all that a caller did before it
        // found the task queued.
        (void)queued_.exchange(false, std::memory_order_acq_rel);
        if (what_) (target.get()->*what_)();
    }

private:
    function what_;
    std::shared_ptr<Target> target_;
    std::atomic<bool> queued_{false};
};

}  // namespace zlink::runtime
