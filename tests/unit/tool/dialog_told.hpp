// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What is said of a connection's octets, given in pieces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::tool {

using sentences = std::vector<std::string>;

// Both sides' octets in pieces of so many in turn. "0 " or "1 " is before each sentence; those of side 0 come first.
template <class Dialog, class... Arguments>
sentences told_by(std::string_view first, std::string_view second, std::size_t piece, Arguments... arguments)
{
    sentences all;
    Dialog dialog([&](int side, const std::string& text) { all.push_back(std::to_string(side) + ' ' + text); },
                  arguments...);
    for (std::size_t at = 0; at < std::max(first.size(), second.size()); at += piece) {
        if (at < first.size()) dialog.take(0, first.substr(at, piece));
        if (at < second.size()) dialog.take(1, second.substr(at, piece));
    }
    dialog.end(0);
    dialog.end(1);
    std::ranges::stable_sort(all, {}, [](const std::string& line) { return line[0]; });
    return all;
}

}  // namespace zlink::tool
