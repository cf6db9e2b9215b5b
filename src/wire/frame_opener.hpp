// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Opens the frames that a mechanism has sealed, in place and many at a time. Also holds the facts about sealed frames
// that the rest of a wire needs. RFC 26: each frame sealed is the body of a ZMTP frame, or of another that has been
// given that form.
#pragma once

#include "wire/frame_intake.hpp"
#include "zmtp/mechanism/sealing.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace zlink::wire {

class frame_opener {
public:
    using octets = frame_intake::octets;

    /// `max_msg_size`: of opened bodies; negative: no limit.
    frame_opener(std::unique_ptr<zmtp::opener> how, std::int64_t max_msg_size) noexcept;

    /// Whether a sealed frame is in the octets that have come.
    enum class presence : std::uint8_t { whole, no_header, no_body, bad };
    /// The result of opening some octets: frames in lane form up to `opened`, and from `rest` on frames that are not
    /// whole.
    struct opening {
        std::byte* opened;
        std::byte* rest;
        presence next = presence::no_header;  ///< of the frame at `rest`
        message::frame_header header{};       ///< the header of that frame, if it is whole
    };

    [[nodiscard]] opening open_all(octets sealed) noexcept;
    /// Returns how many of them are good; error() tells of the next one.
    [[nodiscard]] std::size_t open(std::span<zmtp::frame_to_open> frames) noexcept;

    [[nodiscard]] std::size_t overhead() const noexcept { return overhead_; }
    /// Octets of a sealed body, at most.
    [[nodiscard]] std::uint64_t largest_sealed() const noexcept { return largest_sealed_; }

    /// The error that ends the connection, found in the octets behind all frames that are opened.
    [[nodiscard]] errc error() const noexcept { return broken_; }
    [[nodiscard]] zmtp::handshake_error reason() const noexcept { return broken_reason_; }

private:
    [[nodiscard]] presence look(octets at, message::frame_header& h) noexcept;
    void breaks(errc why, zmtp::handshake_error reason) noexcept;

    std::unique_ptr<zmtp::opener> opener_;
    const std::size_t overhead_;
    const std::uint64_t largest_sealed_;
    errc broken_ = errc::none;
    zmtp::handshake_error broken_reason_ = zmtp::handshake_error::none;
};

}  // namespace zlink::wire
