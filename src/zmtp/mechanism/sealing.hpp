// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The parts of a mechanism that stay for the traffic: a sealer for frames that go out, an opener for those that come
// in. They share nothing that changes, so each may be used by another thread.
#pragma once

#include "zmtp/handshake_error.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace zlink::zmtp {

/// A frame to be sealed, and its destination. The two must not overlap.
struct frame_to_seal {
    std::uint8_t flags;               ///< message::flag_more, message::flag_command
    std::span<const std::byte> body;  ///< of the frame, without header
    std::byte* to;                    ///< room for body.size() + overhead() octets: the body of the sealed frame
};

/// Each call takes a batch: an implementation may work on several frames at a time.
class sealer {
public:
    virtual ~sealer() = default;

    /// Octets by which a sealed body is longer.
    [[nodiscard]] virtual std::size_t overhead() const noexcept = 0;

    /// Seals all frames, in order. The sealed frames go out in that order, as messages of one frame, without flags.
    virtual void seal(std::span<const frame_to_seal> frames) noexcept = 0;
};

/// A sealed frame, and the place of its opened body. `to` may lie before the sealed body in the same memory and overlap
/// it. It must not lie behind the body's beginning.
struct frame_to_open {
    std::span<const std::byte> sealed;  ///< body of a frame as it came in
    std::byte* to;                      ///< room for sealed.size() - overhead() octets
    std::uint8_t flags = 0;             ///< result: message::flag_more, message::flag_command
    std::size_t size = 0;               ///< result: octets written
};

class opener {
public:
    virtual ~opener() = default;

    [[nodiscard]] virtual std::size_t overhead() const noexcept = 0;

    struct outcome {
        std::size_t opened;     ///< so many frames are good
        handshake_error error;  ///< why the next one is not: the connection has to end; else none
    };

    /// Opens in order, up to the first frame that is not the next one the peer sealed, or was not sealed by it at all.
    /// Of that frame nothing is written.
    [[nodiscard]] virtual outcome open(std::span<frame_to_open> frames) noexcept = 0;
};

/// Both null: the traffic is not sealed.
struct sealing {
    std::unique_ptr<sealer> out;
    std::unique_ptr<opener> in;
};

}  // namespace zlink::zmtp
