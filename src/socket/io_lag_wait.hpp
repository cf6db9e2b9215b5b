// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A socket that drops the messages that do not fit under the high-water mark drops them for a peer that is slow. An I/O
// thread that is merely late is not such a peer (load/io_patience.hpp): the sender writes in its place or, if it may
// not write, waits for it. See docs/decisions/0020-no-cliffs.md.
//
// Threads: the socket's.
#pragma once

#include "load/io_patience.hpp"
#include "pipe/pipe.hpp"

namespace zlink::socket {

class io_lag_wait {
public:
    /// A send begins that may wait for so many ms; -1: without a limit, 0: not at all.
    void begin_send(int may_wait) noexcept { may_wait_ = may_wait; }
    [[nodiscard]] bool may_wait() const noexcept { return may_wait_ != 0; }

    /// True: the pipe has room. False: its peer takes nothing more at present, or has gone, or the send may not wait
    /// longer.
    [[nodiscard]] bool make_room(pipe::pipe_end& end) noexcept;

private:
    [[nodiscard]] bool wait_for_room(pipe::pipe_end& end) noexcept;

    load::io_patience patience_;
    int may_wait_ = 0;
};

}  // namespace zlink::socket
