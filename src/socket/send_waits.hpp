// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The waits of a send that the pattern does not ask for: pauses behind large messages (easing), and for an I/O thread
// that is late with a pipe's messages (late_io). A send that must not wait does neither.
//
// Threads: the socket's.
#pragma once

#include "pipe/pipe.hpp"
#include "socket/easing.hpp"
#include "socket/late_io.hpp"

#include <cstddef>
#include <span>

namespace zlink::socket {

class send_waits {
public:
    /// Without `yields` pauses sleep at once.
    explicit send_waits(bool yields = true) noexcept : easing_(yields) {}

    /// A send begins, which may wait for so many ms; -1: without a limit, 0: not at all.
    void begin_send(int may_wait) noexcept { late_io_.begin_send(may_wait); }

    /// A frame of `size` octets was taken.
    [[gnu::always_inline]] void sent(std::span<pipe::pipe_end* const> pipes, std::size_t size) noexcept
    {
        if (size >= eases_off_from && late_io_.may_wait()) [[unlikely]]
            easing_(pipes, size);
    }

    /// See late_io::make_room().
    [[nodiscard]] bool make_room(pipe::pipe_end& end) noexcept { return late_io_.make_room(end); }

private:
    /// Frames from this size on are worth a look at how much is under way.
    static constexpr std::size_t eases_off_from = 16 * 1024;

    easing easing_;
    late_io late_io_;
};

}  // namespace zlink::socket
