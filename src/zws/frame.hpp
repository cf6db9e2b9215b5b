// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Frames of WebSocket (RFC 6455 section 5.2) as ZWS uses them (RFC 45). Each message of WebSocket is a frame of ZeroMQ,
// with flags in its first octet. Pure.
#pragma once

#include "base/byte_order.hpp"
#include "zws/close_code.hpp"
#include "zws/masking.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace zlink::zws {

enum class opcode : std::uint8_t { continuation = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10 };

/// The first octet of a message of WebSocket.
enum zws_flags : std::uint8_t { flag_more = 0x01, flag_command = 0x02 };

inline constexpr std::size_t longest_control = 125;
inline constexpr std::size_t short_payload = 125;
inline constexpr std::size_t longest_header = 14;

struct frame_header {
    opcode what;
    bool final;
    bool masked;
    std::uint8_t size;  ///< octets of the header, the mask included
    std::uint64_t payload;
    mask key;  ///< 0 if the payload is not masked

    [[nodiscard]] bool is_control() const noexcept { return std::uint8_t(what) >= 8; }
};

enum class header_state : std::uint8_t { whole, partial, bad };

/// Reads the header at `at`, of `there` octets. The state `bad` means: reserved bits, an undefined opcode, a wrong
/// length, or a control frame that is long or in pieces. A length is wrong if it is not the shortest form, or beyond
/// 2^63.
[[nodiscard]] inline header_state decode_header(const std::byte* at, std::size_t there, frame_header& h) noexcept
{
    if (there < 2) return header_state::partial;
    const auto first = std::uint8_t(at[0]);
    const auto second = std::uint8_t(at[1]);
    const std::uint8_t code = first & 0x0f;
    if ((first & 0x70) || (code > 2 && code < 8) || code > 10) return header_state::bad;
    h.what = opcode(code);
    h.final = first & 0x80;
    h.masked = second & 0x80;
    h.payload = second & 0x7f;
    if (h.is_control() && (!h.final || h.payload > longest_control)) return header_state::bad;
    std::size_t size = 2;
    if (h.payload == 126) {
        if (there < 4) return header_state::partial;
        h.payload = load_be16(at + 2);
        size = 4;
        if (h.payload <= short_payload) return header_state::bad;
    } else if (h.payload == 127) {
        if (there < 10) return header_state::partial;
        h.payload = load_be64(at + 2);
        size = 10;
        if (h.payload <= 0xffff || h.payload >> 63) return header_state::bad;
    }
    h.key = 0;
    if (h.masked) {
        if (there < size + sizeof(mask)) return header_state::partial;
        std::memcpy(&h.key, at + size, sizeof h.key);
        size += sizeof(mask);
    }
    h.size = std::uint8_t(size);
    return header_state::whole;
}

/// The allowed payload of a close frame: nothing, or a code with an optional reason in words behind it. The reason is
/// not read here.
[[nodiscard]] inline bool is_close_payload(const std::byte* payload, std::size_t size) noexcept
{
    return size == 0 || (size >= 2 && may_be_sent(load_be16(payload)));
}

[[nodiscard]] constexpr std::size_t header_size(std::uint64_t payload, bool masked) noexcept
{
    return (payload <= short_payload ? 2 : payload <= 0xffff ? 4 : 10) + (masked ? sizeof(mask) : 0);
}

/// Writes the header of a whole message; returns its octets. `key`: null if the payload is not masked.
inline std::size_t encode_header(std::byte* to, opcode what, std::uint64_t payload, const mask* key) noexcept
{
    const std::uint8_t masked = key ? 0x80 : 0;
    std::size_t size = 2;
    to[0] = std::byte(0x80 | std::uint8_t(what));
    if (payload <= short_payload) {
        to[1] = std::byte(masked | payload);
    } else if (payload <= 0xffff) {
        to[1] = std::byte(masked | 126);
        store_be16(to + 2, std::uint16_t(payload));
        size = 4;
    } else {
        to[1] = std::byte(masked | 127);
        store_be64(to + 2, payload);
        size = 10;
    }
    if (!key) return size;
    std::memcpy(to + size, key, sizeof *key);
    return size + sizeof *key;
}

}  // namespace zlink::zws
