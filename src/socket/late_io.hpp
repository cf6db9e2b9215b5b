// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Who drops what does not fit under the high-water mark drops it for a peer that is slow. An I/O thread that is merely late is no
// such peer: a thread that answers a thousand requests in a row is through with them in less time than another one
// needs to be given a core. It is waited for. See docs/decisions/0009-load.md.
//
// Threads: the socket's.
#pragma once

#include "pipe/pipe.hpp"

#include <chrono>

namespace zlink::socket {

/// However late it is.
inline constexpr std::chrono::milliseconds longest_wait_for_io{100};

/// True: the pipe has room. False: its peer takes nothing more at present, or has gone.
[[nodiscard]] bool await_late_io(pipe::pipe_end& end) noexcept;

}  // namespace zlink::socket
