// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Looks for what shall not stay in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

namespace zlink::test {

// How often a text stands in writable memory of this process, which is not told it in one piece.
inline int copies_of(const std::string& front, const std::string& back)
{
    std::ifstream maps("/proc/self/maps");
    int found = 0;
    for (std::string line; std::getline(maps, line);) {
        if (line.find(" rw-p ") == std::string::npos) continue;
        std::uintptr_t begin = 0, end = 0;
        if (std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) != 2) continue;
        const std::string_view there(reinterpret_cast<const char*>(begin), end - begin);
        for (std::size_t at = there.find(front); at != std::string_view::npos; at = there.find(front, at + 1)) {
            found += there.substr(at + front.size()).starts_with(back);
        }
    }
    return found;
}

}  // namespace zlink::test
