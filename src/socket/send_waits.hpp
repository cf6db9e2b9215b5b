// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The waits of a send that the pattern does not ask for. A send pauses behind large messages (send_pacing), and waits
// for an I/O thread that is late with a pipe's messages (io_lag_wait). A send that must not wait does neither.
//
// Threads: the socket's.
#pragma once

#include "load/socket_counts.hpp"
#include "pipe/pipe.hpp"
#include "socket/io_lag_wait.hpp"
#include "socket/send_pacing.hpp"

#include <cstddef>
#include <span>

namespace zlink::socket {

class send_waits {
public:
    /// Without `yields`, pauses sleep at once.
    explicit send_waits(load::socket_counts& counts, bool yields = true) noexcept
        : send_pacing_(counts, yields),
          io_lag_wait_(counts)
    {}

    /// A send begins that may wait for so many ms; -1: without a limit, 0: not at all.
    void begin_send(int may_wait) noexcept { io_lag_wait_.begin_send(may_wait); }
    [[nodiscard]] bool may_wait() const noexcept { return io_lag_wait_.may_wait(); }

    /// A frame of `size` octets was taken.
    [[gnu::always_inline]] void sent(std::span<pipe::pipe_end* const> pipes, std::size_t size) noexcept
    {
        if (size >= eases_off_from && io_lag_wait_.may_wait()) [[unlikely]]
            send_pacing_(pipes, size);
    }

    /// See io_lag_wait::make_room().
    [[nodiscard]] bool make_room(pipe::pipe_end& end) noexcept { return io_lag_wait_.make_room(end); }

private:
    /// For frames of this size or more, a look at how much is under way pays.
    static constexpr std::size_t eases_off_from = 16 * 1024;

    send_pacing send_pacing_;
    io_lag_wait io_lag_wait_;
};

}  // namespace zlink::socket
