// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How octets of a stream become messages of a lane. A wire's incoming half names the place for the next octets, and
// takes them in: it reads nothing itself. It shares nothing with the outgoing half, as each has a token of its own.
#pragma once

#include "base/errc.hpp"
#include "pipe/lane_writer.hpp"
#include "shm/receiving_arena.hpp"
#include "wire/close_reason.hpp"
#include "wire/receive_arena.hpp"
#include "zmtp/handshake_error.hpp"

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace zlink::wire {

/// Acts on command frames in the stream; I/O thread only.
class command_handler {
public:
    /// `body` of one command. False: the connection is over (the handler knows the reason).
    [[nodiscard]] virtual bool on_command(std::span<const std::byte> body) noexcept = 0;

    // Of a framing that has frames of its own for these; false as above

    /// The peer wants an answer with the same octets, at most 125.
    [[nodiscard]] virtual bool on_ping(std::span<const std::byte> /*payload*/) noexcept { return false; }
    /// The peer closes the connection, for this reason (two octets, or none), and expects the same octets as an answer.
    [[nodiscard]] virtual bool on_close(std::span<const std::byte> /*code*/) noexcept { return false; }

protected:
    ~command_handler() = default;
};

class inbound {
public:
    /// For octets that have no other place; on the caller's stack.
    using scratch = std::array<std::byte, 8 * 1024>;

    /// Where the next octets go.
    struct room {
        iovec pieces[2];
        int count = 0;  ///< 0: none are needed, there are some from before
        std::size_t octets = 0;
    };

    enum class outcome : std::uint8_t {
        done,     ///< everything was handled
        again,    ///< the same, and more can be handled at once
        command,  ///< a command waits for the I/O thread (only without a command_handler)
        failed,   ///< error() says why
    };

    inbound() = default;
    inbound(const inbound&) = delete;
    inbound& operator=(const inbound&) = delete;
    virtual ~inbound() = default;

    /// False: memory is short. `to` stays valid until accept(), with the same arena.
    [[nodiscard]] virtual bool prepare(receive_arena& arena, pipe::lane_writer& lane, scratch& spare,
                                       room& to) noexcept = 0;
    /// `got` octets have come there; messages are published into `lane`, which had room before. `full`: more octets are
    /// waiting. Without `commands` it stops at the first command, which is kept.
    [[nodiscard]] virtual outcome accept(std::size_t got, bool full, receive_arena& arena, pipe::lane_writer& lane,
                                         const scratch& spare, command_handler* commands) noexcept = 0;

    /// Octets that were read past the handshake; before the first prepare(). False: memory is short.
    [[nodiscard]] virtual bool feed(std::span<const std::byte> octets) noexcept = 0;
    /// Octets from before wait to be looked at.
    [[nodiscard]] virtual bool has_unread() const noexcept = 0;

    /// Before the first prepare(): large bodies may come by way of `arena`, which is there for every accept(). Of a wire
    /// that has no frame for that, none does.
    virtual void share_bodies(shm::receiving_arena* /*arena*/) noexcept {}

    /// message_too_long, protocol_error (reserved bits, a bad or endless command), out_of_memory.
    [[nodiscard]] errc error() const noexcept { return error_; }
    /// The reason of a protocol_error for monitors, if the wire knows more; else none.
    [[nodiscard]] zmtp::handshake_error reason() const noexcept { return reason_; }
    /// The reason of any error for the peer, if its framing has words for it.
    [[nodiscard]] close_reason told_to_peer() const noexcept { return told_to_peer_; }

protected:
    void tell_peer(close_reason why) noexcept { told_to_peer_ = why; }
    outcome fail(errc why, zmtp::handshake_error reason = zmtp::handshake_error::none) noexcept
    {
        error_ = why;
        reason_ = reason;
        return outcome::failed;
    }

private:
    errc error_ = errc::none;
    zmtp::handshake_error reason_ = zmtp::handshake_error::none;
    close_reason told_to_peer_ = close_reason::protocol_error;
};

}  // namespace zlink::wire
