// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A frame on its way into a lane.
#pragma once

#include "message/frame.hpp"

#include <cstddef>

namespace zlink::pipe {

/// `msg` (optional) is the frame that the octets belong to: a large body is then shared with it instead of copied.
/// `stays` (without `msg`): the octets stay where they are until the message is published. So a large body at the
/// message's end need not be copied before that. `dont_wait`: the call that sends it does not wait, not even for a
/// moment.
struct outgoing {
    const std::byte* data;
    std::size_t size;
    bool more;
    const message::frame* msg = nullptr;
    bool stays = false;
    bool dont_wait = false;

    [[nodiscard]] static outgoing of(const message::frame& f, bool more) noexcept
    {
        return {f.data(), f.size(), more, &f, false};
    }
};

}  // namespace zlink::pipe
