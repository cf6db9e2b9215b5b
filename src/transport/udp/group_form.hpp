// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The datagrams of RADIO and DISH: an octet with the length of the group, the group, the body. Pure.
#pragma once

#include "transport/datagram_port.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

namespace zlink::transport::udp {

inline constexpr std::size_t longest_group = 255;

/// Nothing: the datagram is malformed. It is empty or shorter than its group, or the group has an octet 0 (RFC 48).
[[nodiscard]] inline std::optional<datagram> decode_group_form(std::span<const std::byte> octets) noexcept
{
    if (octets.empty()) return std::nullopt;
    const auto length = std::size_t(octets[0]);
    octets = octets.subspan(1);
    if (length > octets.size()) return std::nullopt;
    const auto group = octets.first(length);
    if (std::ranges::find(group, std::byte{}) != group.end()) return std::nullopt;
    return datagram{group, octets.subspan(length)};
}

/// The octets before the body. `to` has room for them; the group is not too long. Returns their number.
inline std::size_t encode_group_form(std::span<const std::byte> group, std::byte* to) noexcept
{
    to[0] = std::byte(group.size());
    std::ranges::copy(group, to + 1);
    return 1 + group.size();
}

}  // namespace zlink::transport::udp
