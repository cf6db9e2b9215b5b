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

// Sockets that have owed subscriptions, of any thread. A child of fork begins with none: its parent writes the ones
// that it inherited.
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
    pipe::enable_receive_count();
}

// A subscription that came earlier takes effect first, although it comes by way of an I/O thread. That thread may have
// read the other connection before. (The shortcut does not ask for this: its only peer has subscribed to everything.)
void subscription_order::catch_up() noexcept
{
    seen_ = pipe::receive_count();
    if (!pipes_.empty()) context_.let_io_catch_up();
}

void subscription_order::let_io_catch_up() noexcept
{
    context_.let_io_catch_up();
}

// Also if all are written already: to find that out takes as long as to look again before the next message.
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

// If the kernel does not take a subscription now, this thread does not wait for that: such a publisher does not read
// its input.
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
    // If a publisher of this program sends next, and its I/O thread has not read yet, this tells it of them.
    pipe::count_receive();
}

}  // namespace zlink::socket
