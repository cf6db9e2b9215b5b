// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/mailbox.hpp"

#include "base/asymmetric_fence.hpp"

#include <utility>

namespace zlink::socket {

bool mailbox::post(command c) noexcept
{
    try {
        const std::lock_guard lock(mutex_);
        if (closed_) return false;
        c.how.came_at = pipe::next_turn();
        commands_.push_back(std::move(c));
    } catch (...) {
        return false;
    }
    wake();
    return true;
}

void mailbox::stop() noexcept
{
    stopped_.store(true, std::memory_order_seq_cst);
    wake();
}

void mailbox::wake() noexcept
{
    attention_.store(true, std::memory_order_seq_cst);
    if (runtime::waiter* s = sleeper_.load(std::memory_order_seq_cst)) s->wake();
    if (descriptor_.get() >= 0 && !signalled_.exchange(true, std::memory_order_seq_cst)) {
        // It may have been acknowledged since. Before the write, not behind it: a loop that is told of each change once looks
        // at the flag as soon as it is told, and if that is down it neither reads the descriptor nor looks again.
        attention_.store(true, std::memory_order_seq_cst);
        descriptor_.raise();
    }
}

// A wake-up that comes between these steps signals again, or what it announced is taken after this. Partners: wake(), which
// raises the flag behind what it announces (commands, the queue, stopped_, signalled_); so the flag is taken down first, by
// an operation that reads it, and what it stands for is looked at afterwards.
void mailbox::acknowledge() noexcept
{
    attention_.exchange(false, std::memory_order_seq_cst);
    // After a stop the flag stays up: every call has to find out.
    if (stopped_.load(std::memory_order_seq_cst)) attention_.store(true, std::memory_order_relaxed);
    if (has_descriptor_ && signalled_.load(std::memory_order_seq_cst)) {
        if (descriptor_.take()) {
            (void)signalled_.exchange(false, std::memory_order_seq_cst);
        } else {
            // Its writer is about to write: come back for it.
            attention_.store(true, std::memory_order_relaxed);
        }
    }
}

bool mailbox::withdraw(const pipe::pipe_end& end) noexcept
{
    const std::lock_guard lock(mutex_);
    const auto attaches = [&](const command& c) { return c.what == command::kind::attach && c.end == &end; };
    return std::erase_if(commands_, attaches) != 0;
}

void mailbox::push_leaver(pipe::pipe_end& end) noexcept
{
    push_onto(leavers_, end);
    wake();
}

pipe::pipe_end* mailbox::take_leaver() noexcept
{
    pipe::pipe_end* first = leavers_.load(std::memory_order_seq_cst);
    while (first && !leavers_.compare_exchange_weak(first, first->next_in_queue, std::memory_order_seq_cst)) {
    }
    return first;
}

std::vector<command> mailbox::take_commands() noexcept
{
    const std::lock_guard lock(mutex_);
    return std::exchange(commands_, {});
}

std::vector<command> mailbox::close() noexcept
{
    const std::lock_guard lock(mutex_);
    closed_ = true;
    return std::exchange(commands_, {});
}

void mailbox::abandon() noexcept
{
    descriptor_.close();
    has_descriptor_ = false;
}

int mailbox::descriptor() noexcept
{
    if (!has_descriptor_) {
        has_descriptor_ = descriptor_.open();
        asymmetric_fence::full_fence();  // partner: wake(), which raises the flag and looks for a descriptor
        if (has_descriptor_ && pending()) wake();
    }
    return descriptor_.get();
}

}  // namespace zlink::socket
