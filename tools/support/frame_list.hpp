// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The frames of one received message, in the library's own memory, so that passing it on costs no copy.
#pragma once

#include "support/socket.hpp"

#include <span>
#include <string_view>
#include <vector>

#include <zmq.h>

namespace zlink::tool {

class frame_list {
public:
    frame_list() = default;
    ~frame_list();
    frame_list(const frame_list&) = delete;
    frame_list& operator=(const frame_list&) = delete;

    // Replaces the contents by the next message. False when none is there (EAGAIN); other errors throw a failure.
    bool receive(void* socket, int flags);

    // Sends the frames on; they are gone afterwards. Throws a failure.
    void send(void* socket);

    // Like socket::offer; the frames are gone when it is done, and untouched otherwise.
    sending offer(void* socket, int flags);

    // Valid until the next receive() or send().
    std::span<const std::string_view> views() const noexcept { return views_; }

private:
    void clear() noexcept;

    std::vector<zmq_msg_t> frames_;
    std::vector<std::string_view> views_;
};

}  // namespace zlink::tool
