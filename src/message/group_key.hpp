// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A group (RFC 48) among topics: its length in an octet, and the group itself. No key begins with another one, so
// tables of topics find groups as wholes. In a lane, a DISH joins and leaves a group by a subscription to its key.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>

namespace zlink::message {

inline constexpr std::size_t max_group_size = 255;

class group_key {
public:
    /// `group`: of at most max_group_size octets.
    explicit group_key(std::span<const std::byte> group) noexcept : size_(group.size())
    {
        octets_[0] = std::byte(size_);
        std::copy(group.begin(), group.end(), octets_.begin() + 1);
    }

    [[nodiscard]] std::span<const std::byte> octets() const noexcept { return {octets_.data(), 1 + size_}; }
    [[nodiscard]] std::span<const std::byte> group() const noexcept { return {octets_.data() + 1, size_}; }

private:
    std::array<std::byte, 1 + max_group_size> octets_;
    std::size_t size_;
};

/// Nothing, if `octets` are not a key.
[[nodiscard]] inline std::optional<std::span<const std::byte>> group_of_key(std::span<const std::byte> octets) noexcept
{
    if (octets.empty() || std::size_t(octets[0]) != octets.size() - 1) return std::nullopt;
    return octets.subspan(1);
}

}  // namespace zlink::message
