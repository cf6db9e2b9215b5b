// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Some sockets drop messages that do not fit under the high-water mark. They drop them for a peer that is slow, and not
// for an I/O thread that is late (load/io_patience.hpp). The sender writes in that thread's place. If it may not write,
// it waits for the thread. See docs/decisions/0020-no-cliffs.md.
//
// Threads: the socket's.
#pragma once

#include "load/io_patience.hpp"
#include "load/socket_counts.hpp"
#include "pipe/pipe.hpp"

namespace zlink::socket {

class io_lag_wait {
public:
    explicit io_lag_wait(load::socket_counts& counts) noexcept : counts_(counts) {}

    /// A send begins that may wait for so many ms; -1: without a limit, 0: not at all.
    void begin_send(int may_wait) noexcept { may_wait_ = may_wait; }
    [[nodiscard]] bool may_wait() const noexcept { return may_wait_ != 0; }

    /// True: the pipe has room. False: its peer takes nothing more at present, or has gone, or the send may not wait
    /// longer.
    [[nodiscard]] bool make_room(pipe::pipe_end& end) noexcept;

private:
    [[nodiscard]] bool wait_for_room(pipe::pipe_end& end) noexcept;

    load::socket_counts& counts_;
    load::io_patience patience_;
    int may_wait_ = 0;
};

}  // namespace zlink::socket
