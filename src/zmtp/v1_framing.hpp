// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ZMTP 1.0 frames (RFC 13). A length of one octet, or %xFF and eight octets, counts the flags octet and the body. Then
// come the flags octet with MORE in bit 0, and the body. Peers of 2.0 and later use the frames of
// message/frame_header.hpp.
#pragma once

#include "base/errc.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace zlink::zmtp {

inline constexpr std::size_t v1_max_header_size = 10;

/// Writes the header of a 1.0 frame and returns its octets: 2 or 10.
std::size_t encode_v1_header(std::byte* to, bool more, std::uint64_t body_size) noexcept;

/// Cuts a byte stream into 1.0 frames.
class v1_decoder {
public:
    enum class state : std::uint8_t { need_input, frame, failed };

    struct step {
        std::size_t consumed;
        v1_decoder::state state;
    };

    /// Bodies beyond `max_msg_size` fail the stream; a negative limit means none.
    explicit v1_decoder(std::int64_t max_msg_size = -1) noexcept : max_msg_size_(max_msg_size) {}

    /// Takes octets up to the end of one frame; call again for the next. Incomplete bodies are kept and grow as octets
    /// arrive, whatever length was announced. Once failed, stays failed.
    step advance(std::span<const std::byte> in) noexcept;

    /// After state::frame, until the next advance(). The body lies in the input of that advance() if all of it was
    /// there, else in this object.
    [[nodiscard]] std::span<const std::byte> body() const noexcept { return body_; }
    [[nodiscard]] bool more() const noexcept { return more_; }

    /// After state::frame: the body if it lies in this object, moved out, else empty. Spares a copy of large bodies.
    [[nodiscard]] std::vector<std::byte> take_body() noexcept;

    /// After state::failed: protocol_error (a length of zero), message_too_long, out_of_memory.
    [[nodiscard]] errc error() const noexcept { return error_; }

private:
    enum class phase : std::uint8_t { length, long_length, flags, body, failed };

    step take(std::span<const std::byte> in);
    [[nodiscard]] bool accept_length(std::uint64_t length) noexcept;
    step fail(errc error, std::size_t consumed) noexcept;

    std::int64_t max_msg_size_;
    std::uint64_t body_size_ = 0;
    std::span<const std::byte> body_;
    std::vector<std::byte> kept_;
    std::array<std::byte, 8> long_length_{};
    std::uint8_t long_length_read_ = 0;
    phase phase_ = phase::length;
    bool more_ = false;
    errc error_ = errc::none;
};

}  // namespace zlink::zmtp
