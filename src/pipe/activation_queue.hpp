// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A queue of pipe ends that need attention: one for each socket, one for each I/O thread. Any thread pushes, the owner
// drains. An end is in at most one queue, at most once (end_inbox sees to that).
#pragma once

#include "base/invariant.hpp"

#include <atomic>

namespace zlink::pipe {

class pipe_end;

class activation_queue {
public:
    activation_queue(const activation_queue&) = delete;
    activation_queue& operator=(const activation_queue&) = delete;

    /// Any thread. The owner is woken if it sleeps.
    void push(pipe_end& end) noexcept;

    /// Any thread: as push(), for an end with the only news that its other party has left. An owner that has a separate
    /// line for such ends takes them in a few at a time.
    virtual void push_departed(pipe_end& end) noexcept { push(end); }

    /// Owner only: all ends that lined up, first come first; chained by pipe_end::next_in_queue.
    [[nodiscard]] pipe_end* take_all() noexcept;

    [[nodiscard]] bool empty() const noexcept { return head_.load(std::memory_order_relaxed) == nullptr; }

    /// The queue outlives its owner's interest while ends of pipes still name it.
    void add_ref() noexcept { refs_.fetch_add(1, std::memory_order_relaxed); }
    void release() noexcept
    {
        const int before = refs_.fetch_sub(1, std::memory_order_acq_rel);
        invariant([before] { return before > 0; });
        if (before == 1) delete this;
    }

protected:
    activation_queue() = default;
    virtual ~activation_queue() = default;

    /// Changes a head as push() changes head_, without waking the owner: for another line of the owner's.
    static void push_onto(std::atomic<pipe_end*>& head, pipe_end& end) noexcept;

    /// Called after each push that found the queue empty; must not block.
    virtual void wake() noexcept = 0;

private:
    /// Partners: take_all() acquires what push() released (pipe_end::next_in_queue). Sequentially consistent with the
    /// state that wake() looks at (mailbox::attention_, interrupter::asleep_): the owner sees a push that found it
    /// awake before it sleeps.
    std::atomic<pipe_end*> head_{nullptr};
    std::atomic<int> refs_{1};  ///< partners: the last release() acquires what earlier ones released
};

}  // namespace zlink::pipe
