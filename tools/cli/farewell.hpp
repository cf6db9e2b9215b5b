// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The end of a command: waits until what is queued has been sent, and stays interruptible meanwhile.
#pragma once

#include "cli/connection_watch.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

namespace zlink::tool {

// A socket to be closed and the watch that sees its connections end.
struct leaving_socket {
    socket* peer;
    connection_watch* watch;
    bool sends;  // its queues matter
};

struct farewell {
    enum class end { sent, too_late, stopped, given_up };
    end how = end::sent;
    std::uint64_t queued = 0;  // messages at the beginning of the wait, see queue_sizes::out
    std::uint64_t unread = 0;  // messages that had arrived and were not received
};

// Closes the sockets and waits until their queues are sent. It also ends when a stop is asked for (if none was before),
// the limit is over, or no peer is left to hope for. After anything but `sent` the context can't be ended: see leave().
farewell say_farewell(std::span<const leaving_socket> sockets, std::optional<std::chrono::milliseconds> limit,
                      bool quiet);

// Ends the process at once, without waiting for what can't be sent.
[[noreturn]] void leave(int status);

}  // namespace zlink::tool
