// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The table of mechanisms.
#include "zmtp/mechanism/table.hpp"

#include "zmtp/mechanism/null.hpp"
#include "zmtp/mechanism/plain.hpp"
#ifdef ZLINK_CURVE
#include "zmtp/mechanism/curve_common.hpp"
#endif

#include <algorithm>

namespace zlink::zmtp {

namespace {

constexpr mechanism_row rows[] = {
    {mechanism_kind::null, "NULL", make_null},
    {mechanism_kind::plain, plain_name, make_plain},
#ifdef ZLINK_CURVE
    {mechanism_kind::curve, curve::mechanism_name, curve::make},
#endif
};

}  // namespace

std::span<const mechanism_row> all_mechanisms() noexcept
{
    return rows;
}

const mechanism_row* find_mechanism(mechanism_kind kind) noexcept
{
    const auto row = std::ranges::find(rows, kind, &mechanism_row::kind);
    return row == std::ranges::end(rows) ? nullptr : &*row;
}

}  // namespace zlink::zmtp
