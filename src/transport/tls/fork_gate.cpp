// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/tls/fork_gate.hpp"

#include <pthread.h>

#include <algorithm>
#include <thread>

namespace zlink::transport::tls {

constinit fork_gate::slot fork_gate::slots_[slot_count];
constinit std::atomic<unsigned> fork_gate::next_{0};
constinit std::atomic<bool> fork_gate::forking_{false};
constinit std::atomic<bool> fork_gate::broken_{false};
std::timed_mutex fork_gate::fork_;
constinit thread_local unsigned fork_gate::depth_ = 0;
constinit thread_local unsigned fork_gate::slot_of_thread_ = 0;

struct fork_handlers {
    static bool is_empty() noexcept
    {
        return std::ranges::all_of(fork_gate::slots_,
                                   [](const auto& slot) { return slot.inside.load(std::memory_order_seq_cst) == 0; });
    }

    static void before() noexcept
    {
        fork_gate::fork_.lock();
        fork_gate::forking_.store(true, std::memory_order_seq_cst);
        if (fork_gate::broken_.load(std::memory_order_relaxed)) return;
        const auto end = std::chrono::steady_clock::now() + fork_gate::longest_wait;
        while (!is_empty() && std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(std::chrono::microseconds(20));
    }

    static void in_parent() noexcept
    {
        fork_gate::forking_.store(false, std::memory_order_seq_cst);
        fork_gate::fork_.unlock();
    }

    static void in_child() noexcept
    {
        if (!is_empty()) fork_gate::broken_.store(true, std::memory_order_relaxed);
        in_parent();
    }
};

namespace {

// Runs when the library or the module is loaded: no thread is inside yet.
[[maybe_unused]] const int watched =
    ::pthread_atfork(fork_handlers::before, fork_handlers::in_parent, fork_handlers::in_child);

}  // namespace

// The thread counts as inside from here on, whether the fork is over or not.
void fork_gate::wait_for_fork() noexcept
{
    mine().fetch_sub(1, std::memory_order_release);
    const bool over = fork_.try_lock_for(longest_wait);
    mine().fetch_add(1, std::memory_order_seq_cst);
    if (over) fork_.unlock();
}

}  // namespace zlink::transport::tls
