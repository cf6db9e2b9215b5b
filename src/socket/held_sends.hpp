// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sends that wait for each other. What a thread sends is held back, and goes out together, while it has something left to
// receive, and where it has been seen to send several messages and wait for input then. Whoever does not come back is
// watched by the I/O thread, which takes over. See docs/decisions/0009-load.md.
//
// A round is what happens between two times that the thread found nothing to receive.
//
// Threads: the socket's.
#pragma once

#include "pipe/pipe.hpp"
#include "runtime/clock.hpp"
#include "socket/mailbox.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace zlink::socket {

class held_sends final : public pipe::send_holder {
public:
    /// Those of the socket that receives from `pipes` and is told by `box`.
    held_sends(const std::vector<pipe::pipe_end*>& pipes, const mailbox& box) noexcept : pipes_(pipes), mailbox_(box) {}
    held_sends(const held_sends&) = delete;
    held_sends& operator=(const held_sends&) = delete;

    /// The socket has `count` pipes from now on; whoever adds one asks first. May throw std::bad_alloc.
    void reserve(std::size_t count);
    /// The pipe goes.
    void forget(const pipe::pipe_end& end) noexcept;

    [[nodiscard]] bool empty() const noexcept { return holding_.empty(); }
    /// What is held goes out.
    void send() noexcept;
    /// The same, and input has run out.
    void end_round() noexcept;

    /// Between the two more messages are sent without a pause.
    void begin_burst() noexcept { in_burst_ = true; }
    void end_burst() noexcept
    {
        in_burst_ = false;
        send();
    }

    [[nodiscard]] verdict hold(pipe::pipe_end& end) noexcept override;
    void wrote(pipe::pipe_end& end) noexcept override;

private:
    [[nodiscard]] bool has_unread() noexcept;

    const std::vector<pipe::pipe_end*>& pipes_;
    const mailbox& mailbox_;
    std::vector<pipe::pipe_end*> holding_;
    std::size_t unread_at_ = 0;        ///< the pipe that has_unread() looks at first
    std::uint32_t sent_in_round_ = 0;  ///< messages to sleeping I/O threads
    bool in_burst_ = false;
    int batches_ = 0;  ///< how many rounds in a row had several at once, up to a limit
    runtime::clock::time_point round_began_{};
};

}  // namespace zlink::socket
