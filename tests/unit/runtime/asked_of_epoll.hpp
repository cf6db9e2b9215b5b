// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The events that a set of epoll will report of a descriptor, as the kernel tells (proc(5), fdinfo). Nothing has to
// happen at the descriptor, and nothing is reported.
#pragma once

#include <gtest/gtest.h>

#include <sys/epoll.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

namespace zlink::runtime::test {

inline std::uint32_t mask_of_epoll(int set, int fd)
{
    std::ifstream about("/proc/self/fdinfo/" + std::to_string(set));
    for (std::string line; std::getline(about, line);) {
        std::istringstream words(line);
        std::string target, events;
        int of = -1;
        std::uint32_t mask = 0;
        if (words >> target >> of >> events >> std::hex >> mask && target == "tfd:" && of == fd) return mask;
    }
    ADD_FAILURE() << "descriptor " << fd << " is not in the set";
    return 0;
}

/// Without those that are reported unasked, without the flag that they are reported once, and without what is asked
/// for next to input that is reported each time that some comes.
inline std::uint32_t asked_of_epoll(int set, int fd)
{
    const std::uint32_t mask = mask_of_epoll(set, fd);
    const std::uint32_t kept = mask & EPOLLET ? EPOLLET | EPOLLPRI | EPOLLRDHUP : 0u;
    return mask & ~(std::uint32_t(EPOLLERR | EPOLLHUP | EPOLLONESHOT) | kept);
}

}  // namespace zlink::runtime::test
