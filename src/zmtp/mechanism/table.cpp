// The table of mechanisms.
#include "zmtp/mechanism/table.hpp"

#include "zmtp/mechanism/null.hpp"
#include "zmtp/mechanism/plain.hpp"

#include <algorithm>
#include <array>

namespace zlink::zmtp {

namespace {

constexpr std::array<mechanism_row, 2> rows{{
    {mechanism_kind::null, "NULL", make_null},
    {mechanism_kind::plain, plain_name, make_plain},
}};

}  // namespace

std::span<const mechanism_row> all_mechanisms() noexcept
{
    return rows;
}

const mechanism_row* find_mechanism(mechanism_kind kind) noexcept
{
    const auto row = std::ranges::find(rows, kind, &mechanism_row::kind);
    return row == rows.end() ? nullptr : &*row;
}

}  // namespace zlink::zmtp
