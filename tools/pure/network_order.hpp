// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Numbers as octets, the most significant first.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace zlink::tool {

template <std::unsigned_integral Number>
void append_number(std::string& to, Number value)
{
    for (std::size_t shift = 8 * sizeof value; shift > 0; shift -= 8) {
        to += static_cast<char>(static_cast<unsigned char>(value >> (shift - 8)));
    }
}

// The octets have to be there.
template <std::unsigned_integral Number>
Number number_at(std::string_view octets, std::size_t at)
{
    Number value = 0;
    for (std::size_t index = 0; index < sizeof value; ++index) {
        value = static_cast<Number>((std::uint64_t{value} << 8) | static_cast<unsigned char>(octets[at + index]));
    }
    return value;
}

// The same, the least significant first.
template <std::unsigned_integral Number>
Number little_number_at(std::string_view octets, std::size_t at)
{
    Number value = 0;
    for (std::size_t index = sizeof value; index > 0; --index) {
        value = static_cast<Number>((std::uint64_t{value} << 8) | static_cast<unsigned char>(octets[at + index - 1]));
    }
    return value;
}

}  // namespace zlink::tool
