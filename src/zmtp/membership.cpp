// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "zmtp/membership.hpp"

#include "message/group_key.hpp"

namespace zlink::zmtp {

std::optional<membership> membership_from_command(const command& from) noexcept
{
    if (from.kind != command_kind::join && from.kind != command_kind::leave) return std::nullopt;
    if (from.data.size() > message::max_group_size) return std::nullopt;
    return membership{from.kind == command_kind::join, from.data};
}

std::size_t encode_membership_prefix(std::byte* to, bool join) noexcept
{
    return join ? encode_join_prefix(to) : encode_leave_prefix(to);
}

}  // namespace zlink::zmtp
