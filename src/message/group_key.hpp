// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A group (RFC 48) among topics: its length in an octet, and the group itself. No key begins with another one, so
// tables of topics find groups as wholes. In a lane, a DISH joins and leaves a group by a subscription to its key.
#pragma once

#include "base/invariant.hpp"
#include "base/small_octets.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>

namespace zlink::message {

inline constexpr std::size_t max_group_size = 255;

class group_key {
public:
    /// Of the empty group.
    group_key() noexcept { assign({}); }
    /// `group`: of at most max_group_size octets.
    explicit group_key(std::span<const std::byte> group) noexcept { assign(group); }
    void assign(std::span<const std::byte> group) noexcept
    {
        size_ = group.size();
        octets_[0] = std::byte(size_);
        copy_octets(octets_.data() + 1, group.data(), size_);
    }

    [[nodiscard]] std::span<const std::byte> octets() const noexcept { return {octets_.data(), 1 + size_}; }
    [[nodiscard]] std::span<const std::byte> group() const noexcept { return {octets_.data() + 1, size_}; }
    [[nodiscard]] bool is_of(std::span<const std::byte> group) const noexcept
    {
        return group.size() == size_ && equal_octets(group.data(), octets_.data() + 1, size_);
    }

private:
    std::array<std::byte, 1 + max_group_size> octets_;
    std::size_t size_;
};

/// The key of a group that is a frame in a lane, or on the wire: the last octet of the frame's header is the length.
[[nodiscard]] inline std::span<const std::byte> key_in_lane(std::span<const std::byte> group) noexcept
{
    invariant([group] { return group.size() <= max_group_size && std::size_t(group.data()[-1]) == group.size(); });
    return {group.data() - 1, group.size() + 1};
}

/// Nothing, if `octets` are not a key.
[[nodiscard]] inline std::optional<std::span<const std::byte>> group_of_key(std::span<const std::byte> octets) noexcept
{
    if (octets.empty() || std::size_t(octets[0]) != octets.size() - 1) return std::nullopt;
    return octets.subspan(1);
}

}  // namespace zlink::message
