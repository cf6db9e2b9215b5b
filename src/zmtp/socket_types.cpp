// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Socket types as peers name them; base/socket_types.hpp has the facts about each.
#include "zmtp/socket_types.hpp"

#include <iterator>

namespace zlink::zmtp {

namespace {

constexpr std::size_t count = std::size(socket_type_table::rows);

/// Number of types that the 2.0 greeting can name.
constexpr std::size_t count_of_2_0 = std::size_t(socket_type::xsub) + 1;

}  // namespace

std::string_view socket_type_name(socket_type type) noexcept
{
    return std::size_t(type) < count ? traits(type).wire_name : std::string_view{};
}

std::optional<socket_type> socket_type_from_name(std::string_view name) noexcept
{
    if (name.empty()) return std::nullopt;
    for (std::size_t i = 0; i < count; ++i) {
        if (traits(socket_type(i)).wire_name == name) return socket_type(i);
    }
    return std::nullopt;
}

std::uint8_t socket_type_octet(socket_type type) noexcept
{
    if (type == socket_type::xpub) return std::uint8_t(socket_type::pub);
    if (type == socket_type::xsub) return std::uint8_t(socket_type::sub);
    return std::uint8_t(type);
}

std::optional<socket_type> socket_type_from_octet(std::uint8_t octet) noexcept
{
    if (octet >= count_of_2_0) return std::nullopt;
    return socket_type(octet);
}

bool compatible(socket_type one, socket_type other) noexcept
{
    return std::size_t(one) < count && traits(one).peers.contains(other);
}

bool announces_identity(socket_type type) noexcept
{
    return traits(type).announces_identity;
}

bool announces_set_identity(socket_type type) noexcept
{
    return traits(type).subscribes && !traits(type).has_groups;
}

}  // namespace zlink::zmtp
