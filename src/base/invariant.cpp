// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "base/invariant.hpp"

#include <cstdio>
#include <cstdlib>

namespace zlink {

void invariant_broken(const char* file, unsigned line) noexcept
{
    std::fprintf(stderr, "zlink: broken invariant: %s:%u\n", file, line);
    std::abort();
}

}  // namespace zlink
