// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A lock that a child of fork can take, whatever the parent's threads were doing. A thread of the parent that held it
// does not exist in the child, so its lock does not count there. The data that it was changing may be half changed
// then.
#pragma once

#include "base/process_generation.hpp"

#include <atomic>
#include <cstdint>

namespace zlink {

/// For static storage, and for short critical sections. As std::mutex; forks count since watch_forks().
class fork_safe_mutex {
public:
    constexpr fork_safe_mutex() noexcept = default;
    fork_safe_mutex(const fork_safe_mutex&) = delete;
    fork_safe_mutex& operator=(const fork_safe_mutex&) = delete;

    void lock() noexcept
    {
        const std::uint32_t mine = of_this_process();
        std::uint32_t holder = 0;
        while (!held_by_.compare_exchange_weak(holder, mine, std::memory_order_acquire, std::memory_order_relaxed)) {
            if (holder == mine) {
                held_by_.wait(mine, std::memory_order_relaxed);
                holder = 0;
            }
            // Otherwise a thread of the parent holds it: the next turn takes it over.
        }
    }

    void unlock() noexcept
    {
        held_by_.store(0, std::memory_order_release);
        held_by_.notify_one();
    }

    /// Tells one process from another; never 0.
    [[nodiscard]] static std::uint32_t of_this_process() noexcept { return std::uint32_t(process_generation()) + 1; }

private:
    /// 0: not locked; otherwise the process in which it was locked. Partners: lock() acquires what unlock() released.
    std::atomic<std::uint32_t> held_by_{0};
};

}  // namespace zlink
