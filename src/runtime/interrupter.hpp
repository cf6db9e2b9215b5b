// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Ends the sleep of a loop. Its descriptor becomes readable only if the loop sleeps or is about to. So it costs no
// system call to tell a loop that is at work.
//
// asleep_ is one side of Dekker's pattern. A thread with news publishes it, then loads asleep_. The loop stores
// asleep_, then looks for news. All of these operations are sequentially consistent, so one of the two sees the other.
// The news is in task_queue::posted_, in event_loop::stopped_, and in the state that work_source::prepare_to_sleep()
// looks at behind a full fence. Proof: io_thread in tests/model/wake_ups_test.cpp.
#pragma once

#include "base/result.hpp"
#include "base/unique_fd.hpp"

#include <atomic>

namespace zlink::runtime {

class interrupter {
public:
    /// Makes the descriptor; too_many_files and the like.
    [[nodiscard]] result<void> open() noexcept;
    /// For a set that reports each write, as the descriptor is never read.
    [[nodiscard]] int descriptor() const noexcept { return fd_.get(); }

    // Loop's thread

    /// The loop looks for news after this, and sleeps if there is none.
    void fall_asleep() noexcept { asleep_.store(true, std::memory_order_seq_cst); }
    void stay_awake() noexcept { asleep_.store(false, std::memory_order_relaxed); }
    /// The descriptor becomes readable, whatever the loop does.
    void insist() noexcept { interrupt(); }

    // Any thread

    /// The caller has published its news by a sequentially consistent operation.
    void wake() noexcept
    {
        if (asleep_.load(std::memory_order_seq_cst) && asleep_.exchange(false, std::memory_order_seq_cst)) interrupt();
    }
    /// wake() would cost no system call. Relaxed: a hint.
    [[nodiscard]] bool awake() const noexcept { return !asleep_.load(std::memory_order_relaxed); }

private:
    void interrupt() noexcept;

    std::atomic<bool> asleep_{false};  ///< partners: the news, see above
    unique_fd fd_;
};

}  // namespace zlink::runtime
