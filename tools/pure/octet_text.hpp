// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Octets as they are shown in a line: what a terminal would obey never is among them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace zlink::tool {

// 'text', or 0x and hex digits if there are other characters than printable ones of ASCII; "..." behind `most` octets.
std::string shown_octets(std::string_view octets, std::size_t most);

// "1 octet", "12 octets"
std::string octets_text(std::size_t count);

}  // namespace zlink::tool
