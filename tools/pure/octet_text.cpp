// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pure/octet_text.hpp"

#include <algorithm>

namespace zlink::tool {

std::string shown_octets(std::string_view octets, std::size_t most)
{
    const std::string_view shown = octets.substr(0, most);
    const bool text = std::ranges::all_of(shown, [](char c) { return c >= 32 && c < 127; });
    std::string result;
    if (text) {
        result = '\'' + std::string(shown) + '\'';
    } else {
        constexpr std::string_view digits = "0123456789abcdef";
        result = "0x";
        for (const char c : shown) {
            result += digits[static_cast<unsigned char>(c) >> 4];
            result += digits[static_cast<unsigned char>(c) & 15];
        }
    }
    return shown.size() < octets.size() ? result + "..." : result;
}

std::string octets_text(std::size_t count)
{
    return count == 1 ? "1 octet" : std::to_string(count) + " octets";
}

}  // namespace zlink::tool
