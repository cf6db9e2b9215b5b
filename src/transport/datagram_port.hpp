// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A socket of datagrams: no connection, no order, no promise that anything arrives. A datagram is a message of two
// parts, a head and a body; the head says to whom it goes, or from whom it comes.
//
// One thread at a time. No function waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace zlink::transport {

enum class datagram_head : std::uint8_t {
    group,    ///< a name of up to 255 octets, part of the datagram (RFC 48)
    address,  ///< the peer's, in text; the datagram is the body alone
};

struct datagram {
    std::span<const std::byte> head;
    std::span<const std::byte> body;
};

class datagram_port {
public:
    datagram_port() = default;
    datagram_port(const datagram_port&) = delete;
    datagram_port& operator=(const datagram_port&) = delete;
    virtual ~datagram_port() = default;

    [[nodiscard]] virtual int descriptor() const noexcept = 0;
    /// Without it, send() may not be called; without the other, receive() may not.
    [[nodiscard]] virtual bool sends() const noexcept = 0;
    [[nodiscard]] virtual bool receives() const noexcept = 0;

    struct sent {
        std::size_t taken = 0;    ///< the first ones, which are done with
        std::size_t dropped = 0;  ///< of these: the system refuses them, or their head has no meaning here
        bool blocked = false;     ///< the next one can go once the descriptor is writable
    };
    /// In order. Without `blocked`, all of `some` are taken.
    [[nodiscard]] virtual sent send(std::span<const datagram> some) noexcept = 0;

    struct received {
        std::size_t count = 0;      ///< of `to`; their octets are valid until the next call
        std::size_t malformed = 0;  ///< dropped
        bool more = false;          ///< another call may find some, though the descriptor may not be readable
    };
    [[nodiscard]] virtual received receive(std::span<datagram> to) noexcept = 0;
};

}  // namespace zlink::transport
