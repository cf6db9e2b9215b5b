// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A ZMTP handshake over frames of WebSocket (RFC 45): its command frames, or routing ids, go each in a message of
// WebSocket. Bytes in, bytes out; used between the upgrade and the traffic.
#pragma once

#include "wire/close_reason.hpp"
#include "wire/octet_queue.hpp"
#include "zmtp/handshake.hpp"
#include "zws/fragments.hpp"
#include "zws/frame.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace zlink::wire {

/// Not thread-safe. Used as zmtp::handshake is, in its place. It throws nothing; if memory is short, the handshake
/// ends.
class zws_handshake {
public:
    /// `inner` has begun, and outlives this. `client`: this side masks.
    zws_handshake(zmtp::handshake& inner, bool client) noexcept : inner_(inner), client_(client) {}

    /// Takes all of the input.
    zmtp::handshake::step advance(std::span<const std::byte> in) noexcept;
    /// After done: the octets that belong to the traffic.
    [[nodiscard]] std::span<const std::byte> unread() const noexcept { return in_.unread(); }
    /// The same if done has come of an answer, between two calls of advance(). If fragments of a message that is not
    /// whole were taken, they come first, as one. May throw std::bad_alloc.
    [[nodiscard]] std::vector<std::byte> begun_traffic() const;

    /// Empty and broken(): memory is short.
    [[nodiscard]] std::span<const std::byte> output() noexcept;
    void consume_output(std::size_t n) noexcept { out_.consume(n); }

    /// After failed: the peer has said that it closes the connection.
    [[nodiscard]] bool closed() const noexcept { return end_ == ending::closed; }
    /// After failed, or after output(): the octets were not frames of WebSocket, or not such that ZWS has.
    [[nodiscard]] bool broken() const noexcept { return end_ == ending::broken; }
    /// In that case: the reason for the peer; none if memory was short.
    [[nodiscard]] close_reason told_to_peer() const noexcept { return told_to_peer_; }

private:
    enum class progress : std::uint8_t { frame, more_input, over };
    enum class ending : std::uint8_t { none, closed, broken };

    [[nodiscard]] progress take_frame();
    [[nodiscard]] bool is_too_long(const zws::frame_header& h) const noexcept;
    [[nodiscard]] bool take_control(const zws::frame_header& h, std::span<std::byte> payload);
    [[nodiscard]] bool take_data(const zws::frame_header& h, std::span<std::byte> payload);
    void close(close_reason why) noexcept;
    void translate_output();
    zmtp::handshake::step fail() noexcept { return {0, zmtp::handshake::state::failed}; }

    zmtp::handshake& inner_;
    const bool client_;
    octet_queue in_;
    zws::fragments message_;
    std::optional<std::vector<std::byte>> pong_;  ///< the answer to the newest ping, until it is sent
    octet_queue out_;
    ending end_ = ending::none;
    close_reason told_to_peer_ = close_reason::none;
};

}  // namespace zlink::wire
