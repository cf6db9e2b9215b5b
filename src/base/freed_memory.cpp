// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "base/freed_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace zlink {

void give_pages_back(void* block, std::size_t size) noexcept
{
    static const auto page = std::uintptr_t(::sysconf(_SC_PAGESIZE));
    const auto from = (reinterpret_cast<std::uintptr_t>(block) + page - 1) & ~(page - 1);
    const auto to = (reinterpret_cast<std::uintptr_t>(block) + size) & ~(page - 1);
    if (to > from) (void)::madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
}

}  // namespace zlink
