// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "base/many_octets.hpp"

#include <algorithm>

namespace zlink {

void copy_many_octets_apart(void* to, const void* from, std::size_t size) noexcept
{
    if (!copies_slowly(to, from)) [[likely]] {
        std::memcpy(to, from, size);
        return;
    }
    // Pieces of this size are small enough to be copied by registers.
    constexpr std::size_t piece = 512;
    auto* t = static_cast<std::byte*>(to);
    const auto* f = static_cast<const std::byte*>(from);
    while (size != 0) {
        std::size_t n = std::min(size, piece);
        __asm__("" : "+r"(n));  // or GCC sees the limit, and takes the string instruction itself
        std::memcpy(t, f, n);
        t += n;
        f += n;
        size -= n;
    }
}

}  // namespace zlink
