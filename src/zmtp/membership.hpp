// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// JOIN and LEAVE commands (RFC 48): a DISH tells a RADIO which groups it wants messages of.
#pragma once

#include "zmtp/command.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace zlink::zmtp {

struct membership {
    bool join;  ///< false: leave
    std::span<const std::byte> group;
};

/// Nothing if it is another command, or if the group is longer than 255 octets.
[[nodiscard]] std::optional<membership> membership_from_command(const command& from) noexcept;

/// Most octets of encode_membership_prefix(): the LEAVE name.
inline constexpr std::size_t max_membership_prefix = leave_prefix_size;

/// Writes the part of the command's body that precedes the group; returns its octets.
std::size_t encode_membership_prefix(std::byte* to, bool join) noexcept;

}  // namespace zlink::zmtp
