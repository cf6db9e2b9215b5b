// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The things that keep a context from ending, in words: sockets that are open, and messages that are not written yet.
#pragma once

#include "base/socket_types.hpp"
#include "engine/io_worker.hpp"
#include "engine/resident.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace zlink::socket {

struct unclosed_socket {
    socket_type type;
    const engine::session_host* host;
};

/// Asks the I/O threads. A thread that does not answer within a second is left out. Not for an I/O thread. May throw
/// std::bad_alloc.
[[nodiscard]] std::vector<engine::unwritten> ask_workers(std::span<const std::unique_ptr<engine::io_worker>> workers);

/// "2 sockets open: a REP, a ROUTER with 17 messages for tcp://10.0.0.1:5555". `left`: of these and of closed sockets.
/// Long lists are cut. May throw std::bad_alloc.
[[nodiscard]] std::string words_of_delay(std::span<const unclosed_socket> open,
                                         std::span<const engine::unwritten> left);

}  // namespace zlink::socket
