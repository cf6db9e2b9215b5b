// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What the allocator has given out, for tests of what is kept.
#pragma once

#include <malloc.h>

#include <cstddef>
#include <cstdlib>

namespace zlink::test {

/// Whether the C library tells: musl does not, and glibc before 2.33 counts modulo 4 GB.
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
#define ZLINK_TELLS_OF_ALLOCATIONS
constexpr bool tells_of_allocations = true;
#else
constexpr bool tells_of_allocations = false;
#endif

/// Octets of the whole process; 0 if the C library does not tell.
inline std::size_t allocated() noexcept
{
#ifdef ZLINK_TELLS_OF_ALLOCATIONS
    const auto all = ::mallinfo2();
    return all.uordblks + all.hblkhd;
#else
    return 0;
#endif
}

}  // namespace zlink::test
