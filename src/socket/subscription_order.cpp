// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/subscription_order.hpp"

#include "base/cancellation.hpp"
#include "base/fork_safe_mutex.hpp"
#include "base/process_generation.hpp"
#include "runtime/brief_wait.hpp"
#include "runtime/clock.hpp"
#include "socket/context.hpp"

#include <mutex>

namespace zlink::socket {

namespace {

// Sockets whose subscriptions are owed, by whatever thread. A child of fork begins with none: its parent writes those it inherited.
struct owed_list {
    fork_safe_mutex lock;
    subscription_order* first = nullptr;
    std::uint64_t generation = 0;

    [[nodiscard]] std::unique_lock<fork_safe_mutex> locked() noexcept
    {
        std::unique_lock held(lock);
        if (generation != process_generation()) {
            first = nullptr;
            generation = process_generation();
        }
        return held;
    }
};
constinit owed_list owed;

}  // namespace

ZLINK_FAST_TLS constinit thread_local bool subscription_order::owes_ = false;

void subscription_order::expect() noexcept
{
    expected_ = true;
    pipe::count_arrivals();
}

// A subscription that came earlier counts first, though it comes by way of an I/O thread that may have read the other
// connection before. (Not asked for by the shortcut, whose only peer has subscribed to everything.)
void subscription_order::catch_up() noexcept
{
    seen_ = pipe::arrivals();
    if (!pipes_.empty()) context_.let_io_catch_up();
}

// Also if all are written already: to know that takes as long as to look again before the next message.
void subscription_order::owe() noexcept
{
    if (pipes_.empty()) return;
    forget();
    const cancellation_held_off hold;
    const auto held = owed.locked();
    next_owed_ = owed.first;
    owed.first = this;
    owed_by_.store(this_thread(), std::memory_order_relaxed);
    owes_ = true;
}

void subscription_order::forget() noexcept
{
    if (!owed_by_.load(std::memory_order_acquire)) return;
    const cancellation_held_off hold;
    const auto held = owed.locked();
    for (subscription_order** at = &owed.first; *at; at = &(*at)->next_owed_) {
        if (*at != this) continue;
        *at = next_owed_;
        break;
    }
    owed_by_.store(nullptr, std::memory_order_relaxed);
}

// What the kernel does not take now is not waited for: the publisher does not take what it is sent.
void subscription_order::write_owed() noexcept
{
    using written = pipe::pipe_end::written;
    const cancellation_held_off hold;
    const auto until = runtime::clock::now() + runtime::longest_for_a_core;
    {
        const auto held = owed.locked();
        for (subscription_order** at = &owed.first; *at;) {
            subscription_order& by = **at;
            if (by.owed_by_.load(std::memory_order_relaxed) != this_thread()) {
                at = &by.next_owed_;
                continue;
            }
            for (pipe::pipe_end* end : by.pipes_) {
                (void)runtime::brief_wait(until, [end] { return end->write_published() != written::busy; });
            }
            by.owed_by_.store(nullptr, std::memory_order_release);
            *at = by.next_owed_;
        }
    }
    owes_ = false;
    // A publisher of this program that sends next, while its I/O thread has not come to reading yet, hears of them.
    pipe::note_arrival();
}

}  // namespace zlink::socket
