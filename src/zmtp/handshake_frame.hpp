// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Collects one ZMTP 2.0 or 3.x frame during the handshake, when frames are few and small; traffic goes through the
// frame scanner.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace zlink::zmtp {

/// Limit on any frame before traffic. The protocol does not have one; READY carries a few short properties.
inline constexpr std::size_t max_handshake_frame = 64 * 1024;

class handshake_frame_reader {
public:
    enum class state : std::uint8_t { in_progress, complete, too_large, reserved_flags };

    /// Takes octets of the current frame and returns how many. A frame with more than `limit` octets is refused by its
    /// header. May throw std::bad_alloc.
    std::size_t advance(std::span<const std::byte> in, std::size_t limit = max_handshake_frame);

    [[nodiscard]] state current() const noexcept { return state_; }
    /// After complete: the flags octet and the body.
    [[nodiscard]] std::uint8_t flags() const noexcept { return std::uint8_t(header_[0]); }
    [[nodiscard]] std::span<const std::byte> body() const noexcept { return body_; }

    /// The octets of the current frame that have come, header included. May throw std::bad_alloc.
    [[nodiscard]] std::vector<std::byte> octets() const;

    /// Makes ready for the next frame.
    void reset() noexcept;

private:
    [[nodiscard]] bool take_header(std::byte octet, std::size_t limit) noexcept;

    std::array<std::byte, 9> header_{};
    std::uint8_t header_read_ = 0;
    bool header_complete_ = false;
    state state_ = state::in_progress;
    std::size_t body_size_ = 0;
    std::vector<std::byte> body_;
};

}  // namespace zlink::zmtp
