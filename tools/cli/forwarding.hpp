// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Passes messages on from one socket to another, with a copy for a third.
#pragma once

#include "cli/message_sender.hpp"

#include "support/frame_list.hpp"
#include "support/socket.hpp"

#include <cstdint>

namespace zlink::tool {

// One direction of a proxy. A message that there is no room for is kept, and nothing more is received meanwhile; those
// that can't be kept (see message_sender) are counted.
class forwarding {
public:
    // `capture` may be null; it gets a copy of each message first.
    forwarding(socket& from, socket& to, message_sender* capture);

    // Passes some messages on. False when there was nothing to do.
    bool run();

    // Where a kept message waits for room; arrival: there is none.
    enum class waits_for { arrival, capture, target };
    waits_for waiting() const noexcept { return stage_; }

    std::uint64_t messages() const noexcept { return messages_; }
    std::uint64_t bytes() const noexcept { return bytes_; }
    const losses& lost() const noexcept { return sender_.lost(); }

private:
    bool receive();
    bool copy();
    bool pass_on();

    socket& from_;
    message_sender* capture_;
    message_sender sender_;
    frame_list frames_;
    waits_for stage_ = waits_for::arrival;
    std::uint64_t messages_ = 0;
    std::uint64_t bytes_ = 0;
};

}  // namespace zlink::tool
