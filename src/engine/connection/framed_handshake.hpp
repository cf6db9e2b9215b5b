// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The handshake of one connection as its framing carries it: bytes in, bytes out; no I/O, no clock.
#pragma once

#include "wire/close_reason.hpp"
#include "zmtp/handshake.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace zlink::engine {

/// A failure of the carrier of a handshake, and not of the handshake's content.
struct carrier_failure {
    enum class kind : std::uint8_t {
        none,
        not_negotiated,  ///< the stream's negotiation failed
        broken,          ///< the octets were not frames, or memory was short: then `told_to_peer` is none
        closed,          ///< the peer has said that it closes the connection
    };

    kind what = kind::none;
    zmtp::handshake_error error = zmtp::handshake_error::none;  ///< for monitors; none: no error of the protocol
    wire::close_reason told_to_peer = wire::close_reason::none;
};

/// Used as zmtp::handshake is: write output(), report the octets that were written by consume_output(), feed the octets
/// that were read to advance(). Owned by one connection; not thread-safe.
class framed_handshake {
public:
    struct step {
        zmtp::handshake::state state;
        std::span<const std::byte> unread;  ///< after done: octets of the traffic, in the input or in this object
    };

    framed_handshake() = default;
    framed_handshake(const framed_handshake&) = delete;
    framed_handshake& operator=(const framed_handshake&) = delete;
    virtual ~framed_handshake() = default;

    /// The handshake that is carried: its questions, its answers and its result. Octets go through this object.
    [[nodiscard]] virtual zmtp::handshake& machine() noexcept = 0;

    /// Takes all of the input, unless that ends the handshake.
    [[nodiscard]] virtual step advance(std::span<const std::byte> in) noexcept = 0;
    /// After machine().resume() has brought done: octets of the traffic that advance() took. May throw std::bad_alloc.
    [[nodiscard]] virtual std::vector<std::byte> begun_traffic() const = 0;

    /// Octets to send, in order. Valid until the next call of a non-const member.
    [[nodiscard]] virtual std::span<const std::byte> output() noexcept = 0;
    virtual void consume_output(std::size_t n) noexcept = 0;

    /// After a failure of this object, or of the stream below.
    [[nodiscard]] virtual carrier_failure failure() const noexcept = 0;
};

}  // namespace zlink::engine
