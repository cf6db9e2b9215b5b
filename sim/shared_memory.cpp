// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "sim/shared_memory.hpp"

#include "sim/world.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>

namespace zlink::sim {

std::string shared_memory_left()
{
    constexpr const char* mark = "memfd:zlink";
    constexpr const char* page_map = "/pagemap";  // read for such memory alone
    const inside in;
    std::string all;
    std::error_code failed;
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd", failed)) {
        const std::string where = std::filesystem::read_symlink(each.path(), failed).string();
        if (where.find(mark) != std::string::npos || where.ends_with(page_map))
            all += "  descriptor " + each.path().filename().string() + '\n';
    }
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        if (line.find(mark) != std::string::npos) all += "  mapping " + line + '\n';
    }
    return all;
}

}  // namespace zlink::sim
