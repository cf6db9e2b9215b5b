// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Tasks that other threads have for a loop's thread, the oldest first. The queue does not wake the loop:
// interrupter.hpp does.
//
// posted_ is one side of a Dekker pair with interrupter::asleep_. A poster stores posted_, then loads asleep_
// (interrupter::wake). The loop stores asleep_, then loads posted_. All four are sequentially consistent, so one of the
// two sees the other. Proof: io_thread in tests/model/wake_ups_test.cpp.
#pragma once

#include "base/invariant.hpp"
#include "runtime/task.hpp"

#include <atomic>
#include <mutex>
#include <utility>

namespace zlink::runtime {

class task_queue {
public:
    task_queue() = default;
    task_queue(const task_queue&) = delete;
    task_queue& operator=(const task_queue&) = delete;

    /// Any thread. `work` is in no queue. The caller calls interrupter::wake() afterwards.
    void push(task& work) noexcept
    {
        work.next_ = nullptr;
        {
            const std::lock_guard lock(mutex_);
            (last_ ? last_->next_ : first_) = &work;
            last_ = &work;
        }
        posted_.store(true, std::memory_order_seq_cst);
    }

    // Loop's thread

    /// Tasks may have been pushed that are not in a batch yet. Relaxed: a hint.
    [[nodiscard]] bool posted() const noexcept { return posted_.load(std::memory_order_relaxed); }
    /// The same, after interrupter::fall_asleep(): no push is missed by both sides.
    [[nodiscard]] bool posted_before_sleep() const noexcept { return posted_.load(std::memory_order_seq_cst); }
    /// Some of a batch are left, or more have been pushed. Relaxed: a hint.
    [[nodiscard]] bool any() const noexcept { return any_in_batch() || posted(); }

    /// All pushed tasks are the next batch, unless one is under way. False: there is none.
    [[nodiscard]] bool begin_batch() noexcept
    {
        if (!taken_) {
            if (!posted_.load(std::memory_order_acquire)) return false;
            const std::lock_guard lock(mutex_);
            posted_.store(false, std::memory_order_relaxed);
            taken_ = std::exchange(first_, nullptr);
            last_ = nullptr;
        }
        return any_in_batch();
    }
    [[nodiscard]] bool any_in_batch() const noexcept { return taken_ != nullptr; }
    /// Runs the next task of the batch, which is not empty.
    void run_next() noexcept
    {
        invariant([this] { return any_in_batch(); });
        // The task may be destroyed, or be pushed again, while it runs.
        task& work = *taken_;
        taken_ = work.next_;
        work.run();
    }

private:
    std::atomic<bool> posted_{false};  ///< partner: interrupter::asleep_
    std::mutex mutex_;
    task* first_ = nullptr;  ///< pushed and not in a batch, the oldest
    task* last_ = nullptr;
    task* taken_ = nullptr;  ///< the rest of the batch
};

}  // namespace zlink::runtime
