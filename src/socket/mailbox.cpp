// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/mailbox.hpp"

#include "base/asymmetric_fence.hpp"
#include "base/invariant.hpp"
#include "runtime/pause.hpp"

#include <utility>

namespace zlink::socket {

errc mailbox::post(command c) noexcept
{
    try {
        command_list made;
        made.push_back(std::move(c));
        return post(made);
    } catch (...) {
        return errc::out_of_memory;
    }
}

errc mailbox::post(command_list& made) noexcept
{
    invariant([&] { return made.size() == 1; });
    {
        const std::lock_guard lock(mutex_);
        if (closed_) return errc::terminated;
        made.front().how.came_at = pipe::next_sequence_number();
        commands_.splice(commands_.end(), made);
    }
    wake();
    return errc::none;
}

void mailbox::stop() noexcept
{
    auto was = stop_state::running;
    (void)stop_.compare_exchange_strong(was, stop_state::stopped, std::memory_order_seq_cst);
    wake();
}

void mailbox::wake() noexcept
{
    attention_.store(true, std::memory_order_seq_cst);
    if (runtime::waiter* s = sleeper_.load(std::memory_order_seq_cst)) s->wake();
    if (watched_.load(std::memory_order_seq_cst)) show();
}

void mailbox::show() noexcept
{
    if (descriptor_.begin_raise()) {
        // The flag may have been acknowledged since. It is raised before the write, not behind it. A loop that is told
        // of each change only once looks at the flag as soon as it is told. If the flag is down then, the loop neither
        // reads the descriptor nor looks again.
        attention_.store(true, std::memory_order_seq_cst);
        descriptor_.raise();
    }
    raise_level();
    if (news_.call) news_.call(news_.of);
}

// If a wake-up comes between these steps, it signals again, or its news is taken after this. Partner: wake(), which
// raises the flag behind its news (commands, the queue, stop_, the descriptor's signal). So the flag is taken down
// first, by an operation that reads it, and the news is looked at afterwards.
void mailbox::acknowledge(descriptor_is after) noexcept
{
    attention_.exchange(false, std::memory_order_seq_cst);
    // After a stop the flag stays up: every call has to see the stop.
    if (stop_.load(std::memory_order_seq_cst) != stop_state::running) attention_.store(true, std::memory_order_relaxed);
    // Another thread is about to write to the descriptor: come back to read that.
    if (after == descriptor_is::taken_in && !descriptor_.take_in()) attention_.store(true, std::memory_order_relaxed);
}

bool mailbox::withdraw(const pipe::pipe_end& end) noexcept
{
    const std::lock_guard lock(mutex_);
    const auto attaches = [&](const command& c) { return c.what == command::kind::attach && c.end == &end; };
    return std::erase_if(commands_, attaches) != 0;
}

void mailbox::push_departed(pipe::pipe_end& end) noexcept
{
    push_onto(departed_, end);
    wake();
}

pipe::pipe_end* mailbox::take_departed() noexcept
{
    pipe::pipe_end* first = departed_.load(std::memory_order_seq_cst);
    while (first && !departed_.compare_exchange_weak(first, first->next_in_queue, std::memory_order_seq_cst)) {
    }
    return first;
}

void mailbox::close_end(pipe::pipe_end& end) noexcept
{
    if (end.close() == pipe::pipe_end::closing::in_queue) ++closed_in_queue_;
}

void mailbox::discard(pipe::pipe_end& end) noexcept
{
    invariant([&] { return end.closed() && closed_in_queue_ != 0; });
    end.discard();
    --closed_in_queue_;
}

void mailbox::drain() noexcept
{
    while (closed_in_queue_ != 0) {
        pipe::pipe_end* end = next_end();
        if (!end) end = take_departed();
        if (!end) {
            runtime::yield();  // the thread that is putting one in is between two instructions
        } else if (end->closed()) {
            discard(*end);
        }
    }
}

command_list mailbox::take_commands() noexcept
{
    command_list all;
    const std::lock_guard lock(mutex_);
    all.swap(commands_);
    return all;
}

void mailbox::put_back(command_list& again) noexcept
{
    {
        const std::lock_guard lock(mutex_);
        commands_.splice(commands_.begin(), again);
    }
    wake();
}

command_list mailbox::close() noexcept
{
    tell_nobody();
    command_list all;
    const std::lock_guard lock(mutex_);
    closed_ = true;
    all.swap(commands_);
    return all;
}

void mailbox::abandon() noexcept
{
    descriptor_.close();
    level_.close();
    tell_nobody();
}

// Where there is a call, no other thread wakes this. Elsewhere an I/O thread may look for one at any time.
void mailbox::tell_nobody() noexcept
{
    if (news_.call) news_ = {};
}

void mailbox::set_news_call(news_call c) noexcept
{
    news_ = c;
    if (c.call) watched_.store(true, std::memory_order_seq_cst);
}

int mailbox::make(wake_descriptor& which) noexcept
{
    if (!which.exists()) {
        const bool opened = which.open();
        if (opened) watched_.store(true, std::memory_order_seq_cst);
        asymmetric_fence::full_fence();  // partner: wake(), which raises the flag and looks for a descriptor
        if (opened && pending()) wake();
    }
    return which.get();
}

}  // namespace zlink::socket
