// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "sim/process.hpp"

#include <sys/personality.h>
#include <unistd.h>

#include <cstdio>

namespace zlink::sim {

void forbid_random_addresses(char** argv)
{
    const int now = ::personality(0xffffffff);
    if (now < 0 || (now & ADDR_NO_RANDOMIZE)) return;
    if (::personality(unsigned(now) | ADDR_NO_RANDOMIZE) < 0 || !(::personality(0xffffffff) & ADDR_NO_RANDOMIZE)) {
        std::fputs("zlink-sim: addresses stay random here, so a seed may run otherwise the next time\n", stderr);
        return;
    }
    ::execv("/proc/self/exe", argv);
}

}  // namespace zlink::sim
