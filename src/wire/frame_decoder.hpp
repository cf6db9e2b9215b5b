// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Octets of a stream that is not ZMTP 2.0 or later become messages of a lane: raw ones, and ZMTP 1.0. Pure.
#pragma once

#include "base/errc.hpp"
#include "pipe/lane_writer.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace zlink::wire {

class frame_decoder {
public:
    frame_decoder() = default;
    frame_decoder(const frame_decoder&) = delete;
    frame_decoder& operator=(const frame_decoder&) = delete;
    virtual ~frame_decoder() = default;

    /// All octets are taken in; whole messages are published into `to`. Errors: message_too_long, protocol_error (the
    /// stream is over), out_of_memory.
    [[nodiscard]] virtual errc accept(std::span<const std::byte> octets, pipe::lane_writer& to) noexcept = 0;
};

/// The octets that come at one time are a message.
[[nodiscard]] std::unique_ptr<frame_decoder> make_raw_decoder();
/// RFC 13; bodies up to `max_msg_size`, negative: of any size.
[[nodiscard]] std::unique_ptr<frame_decoder> make_zmtp1_decoder(std::int64_t max_msg_size);

}  // namespace zlink::wire
