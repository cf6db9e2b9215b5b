// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Many messages in one call: zlink_send_many() and zlink_recv_many(). A batch ends early if its next message cannot go
// or come; the messages before it count all the same.
//
// Threads: the one that holds the socket.
#pragma once

#include "base/errc.hpp"
#include "message/frame.hpp"
#include "socket/held_socket.hpp"

#include <cstddef>
#include <span>

namespace zlink::socket {

/// Sends each frame as a message of its own. Each waits like one that is sent alone. `sent`: how many went, also if the
/// thread is cancelled while it waits. Returns the reason why the next one did not go. The caller keeps the frames, and
/// empties those that went after its hold.
[[nodiscard]] errc send_batch(held_socket& s, std::span<message::frame> messages, bool dontwait, std::size_t& sent);

struct received_batch {
    std::size_t messages = 0;
    std::size_t parts = 0;  ///< of all of them; or of the message that there is no room for
};

/// Waits for one message, as a receive does, and takes it and those that are there. Only whole messages are taken:
/// `room` gets their parts, one after the other. If there is a message, the result is none. message_too_long: the first
/// one has `parts` parts and there is less room; it stays. What `room` held goes to `spent`, unless it has no free
/// function: those are for a thread without a hold.
[[nodiscard]] errc receive_batch(held_socket& s, std::span<message::frame> room, bool dontwait, spent_frames& spent,
                                 received_batch& got);

}  // namespace zlink::socket
