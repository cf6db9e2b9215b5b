// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sends that wait for each other. While a connection's I/O thread sleeps, messages to that connection are held back in
// their lane, so that one write takes several. load/send_policy.hpp decides. If a thread does not come back, an I/O
// thread takes over from it (pipe/activity_watch.hpp).
//
// Threads: the socket's.
#pragma once

#include "load/send_policy.hpp"
#include "load/socket_counts.hpp"
#include "pipe/pipe.hpp"
#include "runtime/clock.hpp"
#include "socket/mailbox.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace zlink::socket {

class deferred_sends final : public pipe::send_holder {
public:
    /// The deferred sends of the socket that receives from `pipes` and that other threads reach through `box`.
    deferred_sends(const std::vector<pipe::pipe_end*>& pipes, const mailbox& box, load::socket_counts& counts) noexcept
        : pipes_(pipes),
          mailbox_(box),
          counts_(counts)
    {}
    deferred_sends(const deferred_sends&) = delete;
    deferred_sends& operator=(const deferred_sends&) = delete;

    /// The socket has `count` pipes from now on; a caller that adds a pipe calls this first. May throw std::bad_alloc.
    void reserve(std::size_t count);
    /// The pipe goes.
    void forget(pipe::pipe_end& end) noexcept;

    [[nodiscard]] bool empty() const noexcept { return peers_ == 0; }
    /// All held messages go out.
    void send() noexcept;
    /// The same, and input has run out.
    void end_round() noexcept;

    /// Between begin_burst() and end_burst() more messages are sent without a pause, so no I/O thread is told to look
    /// whether the thread comes back.
    void begin_burst() noexcept { in_burst_ = true; }
    void end_burst() noexcept
    {
        in_burst_ = false;
        send();
    }

    [[nodiscard]] bool hold(pipe::pipe_end& end) noexcept override;

    [[nodiscard]] const load::send_policy& policy() const noexcept { return policy_; }

private:
    [[nodiscard]] bool has_unread() noexcept;
    void add(pipe::pipe_end& end) noexcept;
    void release(runtime::clock::time_point now, std::uint32_t peers) noexcept;
    [[nodiscard]] bool has_time_to_write(runtime::clock::time_point now) const noexcept;
    void leave_to_io_threads(runtime::clock::time_point now) noexcept;

    const std::vector<pipe::pipe_end*>& pipes_;
    const mailbox& mailbox_;
    load::socket_counts& counts_;
    std::vector<pipe::pipe_end*> holding_;  ///< longest wait first; null: it has gone out, or left
    std::uint32_t peers_ = 0;               ///< those that are not null
    std::size_t unread_at_ = 0;             ///< the pipe that has_unread() looks at first
    bool in_burst_ = false;
    load::send_policy policy_;
    runtime::thread_usage usage_;  ///< when a witnessed batch began
};

}  // namespace zlink::socket
