// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Memory for tables with random access. A large one is aligned to huge pages and asks the kernel for them. So an access
// does not cost a walk through page tables in addition to the cache miss.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <vector>

namespace zlink {

template <class T>
struct huge_page_allocator {
    using value_type = T;

    huge_page_allocator() = default;
    template <class U>
    huge_page_allocator(const huge_page_allocator<U>&) noexcept
    {}

    [[nodiscard]] T* allocate(std::size_t n)
    {
        if (n > (~std::size_t(0) >> 1) / sizeof(T)) throw std::bad_array_new_length();
        void* const block = ::operator new(n * sizeof(T), alignment(n));
        if (is_large(n)) ::madvise(block, n * sizeof(T), MADV_HUGEPAGE);  // a hint: nothing breaks without it
        return static_cast<T*>(block);
    }

    void deallocate(T* block, std::size_t n) noexcept { ::operator delete(block, alignment(n)); }

    friend bool operator==(const huge_page_allocator&, const huge_page_allocator&) noexcept { return true; }

private:
    static constexpr std::size_t huge_page = std::size_t(2) << 20;

    static bool is_large(std::size_t n) noexcept { return n * sizeof(T) >= huge_page; }
    static std::align_val_t alignment(std::size_t n) noexcept
    {
        return std::align_val_t(is_large(n) ? huge_page : alignof(T));
    }
};

template <class T>
using huge_page_vector = std::vector<T, huge_page_allocator<T>>;

}  // namespace zlink
