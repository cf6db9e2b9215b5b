// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Keeps subscriptions in order with the rest of what programs tell each other, though messages are sent and read past the
// I/O threads. Both halves are needed: what a program sends after subscribing shall not leave before the subscription, and a
// publisher shall not answer before it has heard what came earlier.
//
// Threads: the socket's.
#pragma once

#include "pipe/arrivals.hpp"
#include "pipe/pipe.hpp"

#include <cstdint>
#include <vector>

namespace zlink::socket {

class context;

class subscription_order {
public:
    /// Of the socket that has `pipes`.
    subscription_order(context& owner, const std::vector<pipe::pipe_end*>& pipes) noexcept
        : context_(owner),
          pipes_(pipes)
    {}
    subscription_order(const subscription_order&) = delete;
    subscription_order& operator=(const subscription_order&) = delete;

    /// A publisher: there is an endpoint whose connections I/O threads read. (Over inproc the subscriber itself tells the
    /// publisher. Events of monitors, which come from I/O threads, go over inproc, so these do not wait for themselves.)
    void expect() noexcept;
    /// Before a message is published: something was read since the last catch_up() and may be why the program publishes.
    [[nodiscard]] bool behind() const noexcept { return expected_ && seen_ != pipe::arrivals(); }
    /// Waits, for a moment at most, until the I/O threads have read what came earlier, and told the socket's mailbox.
    void catch_up() noexcept;

    /// A subscriber: waits, for a moment at most, until the subscriptions it has made are written.
    void await_written() noexcept;

private:
    context& context_;
    const std::vector<pipe::pipe_end*>& pipes_;
    std::uint64_t seen_ = 0;  ///< arrivals when catch_up() was called last
    bool expected_ = false;
    bool late_ = false;  ///< a publisher does not take what it is sent
};

}  // namespace zlink::socket
