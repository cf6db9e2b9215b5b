// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The loop that a thread drives itself, step by step, if no thread was made for it: a program's own loop, a simulation,
// a test. If code on such a thread waits for the loop (a blocking call, catch_up(), a latch), it steps the loop
// instead.
//
// Hosted contexts make one for each step and for each call that waits (socket/hosting.hpp). Tests run a loop without a
// thread with it, and decide the order of events. waiter, latch, brief_wait() and catch_up() ask for it
// (docs/decisions/0016-one-door-to-the-kernel.md).
#pragma once

#include "runtime/event_loop.hpp"

#include <chrono>

namespace zlink::runtime {

/// Made and used by one thread, for one loop. While it lives, the loop runs nowhere else.
class driver {
public:
    driver(event_loop& loop, work_source& what) noexcept;
    driver(const driver&) = delete;
    driver& operator=(const driver&) = delete;
    ~driver();

    /// Null: this thread drives no loop, or a step of it is on the stack.
    [[nodiscard]] static driver* of_this_thread() noexcept;
    /// This thread drives a loop, perhaps in a step: it cannot drive another one.
    [[nodiscard]] static bool this_thread_has_one() noexcept;

    [[nodiscard]] bool drives(const event_loop& loop) const noexcept { return &loop_ == &loop; }

    /// See event_loop::step().
    [[nodiscard]] std::chrono::nanoseconds step(std::chrono::nanoseconds budget,
                                                looks how = looks::until_nothing) noexcept;
    /// Steps, or sleeps if there is nothing to do, for about `at_most`. False: a signal's handler came in between.
    bool step_or_sleep(std::chrono::nanoseconds at_most) noexcept;

    /// Readable when the loop has something to do before that time.
    [[nodiscard]] int descriptor() const noexcept { return loop_.descriptor(); }
    /// When `fd` becomes readable, descriptor() becomes readable, too, until the next step. False: memory is short.
    [[nodiscard]] bool listen_to(int fd) noexcept { return loop_.listen_to(fd); }

private:
    event_loop& loop_;
    work_source& what_;
    bool stepping_ = false;
};

}  // namespace zlink::runtime
