// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sends that wait for each other: messages to connections whose I/O threads sleep, held back in their lanes so that one write
// takes several. load/send_policy.hpp decides; an I/O thread takes over from a thread that does not come back (pipe/absence.hpp).
//
// Threads: the socket's.
#pragma once

#include "load/send_policy.hpp"
#include "pipe/pipe.hpp"
#include "runtime/clock.hpp"
#include "socket/mailbox.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace zlink::socket {

class deferred_sends final : public pipe::send_holder {
public:
    /// Those of the socket that receives from `pipes` and is told by `box`.
    deferred_sends(const std::vector<pipe::pipe_end*>& pipes, const mailbox& box) noexcept
        : pipes_(pipes),
          mailbox_(box)
    {}
    deferred_sends(const deferred_sends&) = delete;
    deferred_sends& operator=(const deferred_sends&) = delete;

    /// The socket has `count` pipes from now on; whoever adds one asks first. May throw std::bad_alloc.
    void reserve(std::size_t count);
    /// The pipe goes.
    void forget(pipe::pipe_end& end) noexcept;

    [[nodiscard]] bool empty() const noexcept { return peers_ == 0; }
    /// What is held goes out.
    void send() noexcept;
    /// The same, and input has run out.
    void end_round() noexcept;

    /// Between the two more messages are sent without a pause: no I/O thread is told to look whether the thread comes back.
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
    void leave_to_io_threads(runtime::clock::time_point now) noexcept;

    const std::vector<pipe::pipe_end*>& pipes_;
    const mailbox& mailbox_;
    std::vector<pipe::pipe_end*> holding_;  ///< who has waited longest first; null: it has gone out, or left
    std::uint32_t peers_ = 0;               ///< those that are not null
    std::size_t unread_at_ = 0;             ///< the pipe that has_unread() looks at first
    bool in_burst_ = false;
    load::send_policy policy_;
    runtime::thread_usage usage_;  ///< when a witnessed batch began
};

}  // namespace zlink::socket
