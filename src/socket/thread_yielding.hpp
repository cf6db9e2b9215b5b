// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How a thread yields before it sleeps for a socket. It belongs to the thread: a thread that uses many sockets learns
// once for all of them.
#pragma once

#include "runtime/clock.hpp"
#include "runtime/yield_spin.hpp"

namespace zlink::socket {

struct thread_yielding {
    thread_yielding();

    /// The calling thread's. Null: memory is short, and the thread sleeps without yielding.
    [[nodiscard]] static thread_yielding* of_this_thread() noexcept;

    /// Before a sleep for credit. A late success was in vain. If others want the core, a thread that is woken goes
    /// first, and a thread that has yielded goes last.
    runtime::yield_spin for_credit;
    /// Before a sleep for the input of a shared socket.
    runtime::yield_spin for_shared_input;
    /// Before a sleep in a poll.
    runtime::yield_spin in_poll;
    /// When a poll that does not wait last read the thread's parked connections.
    runtime::clock::time_point read_parked_at{};
};

}  // namespace zlink::socket
