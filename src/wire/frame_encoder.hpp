// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The form of one frame on a wire that does not use the lane's own form. It is raw, ZMTP 1.0, or ZMTP 3.x with
// subscriptions as commands. Pure: octets in, octets out.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace zlink::wire {

struct frame {
    std::span<const std::byte> body;
    bool more = false;
    bool first = true;  ///< of its message
};

class frame_encoder {
public:
    frame_encoder() = default;
    frame_encoder(const frame_encoder&) = delete;
    frame_encoder& operator=(const frame_encoder&) = delete;
    virtual ~frame_encoder() = default;

    /// A batch of frames follows.
    virtual void begin() noexcept {}
    /// Appends the frame's octets. May throw std::bad_alloc.
    virtual void encode(const frame& what, std::vector<std::byte>& to) = 0;
};

/// Bodies alone: STREAM and raw ROUTER.
[[nodiscard]] std::unique_ptr<frame_encoder> make_raw_encoder();
/// RFC 13.
[[nodiscard]] std::unique_ptr<frame_encoder> make_zmtp1_encoder();
/// Frames stay as the lane has them. But messages of SUB and XSUB that are subscriptions become SUBSCRIBE and CANCEL
/// commands (RFC 37).
[[nodiscard]] std::unique_ptr<frame_encoder> make_subscription_encoder();
/// Frames stay as the lane has them. But messages of DISH that are subscriptions to the key of a group
/// (message/group_key.hpp) become JOIN and LEAVE commands (RFC 48).
[[nodiscard]] std::unique_ptr<frame_encoder> make_group_encoder();

/// The body of such a command. Nothing: the frame is something else. May throw std::bad_alloc.
[[nodiscard]] std::optional<std::vector<std::byte>> membership_command(const frame& what);

}  // namespace zlink::wire
