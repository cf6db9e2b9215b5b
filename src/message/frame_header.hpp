// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The ZMTP 3.x frame header: RFC 37 section 2.3, flags, then a length of one or eight octets. This is the canonical
// form of frames inside lanes and on the wire. Shared by pipe/ and zmtp/.
#pragma once

#include "base/byte_order.hpp"

#include <cstddef>
#include <cstdint>

namespace zlink::message {

enum frame_flags : std::uint8_t {
    flag_more = 0x01,
    flag_long = 0x02,
    flag_command = 0x04,
    flags_reserved = 0xf8,
};

inline constexpr std::size_t short_header_size = 2;
inline constexpr std::size_t long_header_size = 9;
inline constexpr std::size_t max_short_body = 255;

[[nodiscard]] constexpr std::size_t header_size(std::uint64_t body_size) noexcept
{
    return body_size > max_short_body ? long_header_size : short_header_size;
}

/// Writes the header of a frame; `flags` holds flag_more and flag_command only. Returns the octets written (2 or 9).
inline std::size_t encode_header(std::byte* to, std::uint8_t flags, std::uint64_t body_size) noexcept
{
    if (body_size > max_short_body) {
        to[0] = std::byte(flags | flag_long);
        store_be64(to + 1, body_size);
        return long_header_size;
    }
    to[0] = std::byte(flags);
    to[1] = std::byte(body_size);
    return short_header_size;
}

/// The same for a frame that is known to be short and has no flags: one store.
inline std::size_t encode_plain_header(std::byte* to, std::size_t body_size) noexcept
{
    store_be16(to, std::uint16_t(body_size));
    return short_header_size;
}

struct frame_header {
    std::uint8_t flags;  ///< as on the wire, flag_long included
    std::uint8_t size;   ///< octets of the header itself: 2 or 9
    std::uint64_t body_size;
};

/// Decodes a header that is known to be complete at `from` (own lanes, or bytes a scanner has checked).
[[nodiscard]] inline frame_header decode_header(const std::byte* from) noexcept
{
    const auto flags = std::uint8_t(from[0]);
    if (flags & flag_long) return {flags, long_header_size, load_be64(from + 1)};
    return {flags, short_header_size, std::uint64_t(from[1])};
}

/// The body's size if the header is such a plain one; otherwise more than max_short_body.
[[nodiscard]] inline std::size_t decode_plain_header(const std::byte* from) noexcept
{
    return load_be16(from);
}

}  // namespace zlink::message
