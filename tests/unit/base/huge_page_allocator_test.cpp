// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Memory of large tables: aligned to huge pages from one of them on, and like any other below.
#include "base/huge_page_allocator.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <new>

namespace zlink {
namespace {

constexpr std::size_t huge_page = std::size_t(2) << 20;

bool is_aligned(const void* p, std::size_t to)
{
    return reinterpret_cast<std::uintptr_t>(p) % to == 0;
}

TEST(huge_page_allocator_test, aligns_a_large_table_to_huge_pages)
{
    for (const std::size_t size : {huge_page / 8, huge_page / 8 + 1, huge_page}) {
        huge_page_vector<std::uint64_t> table(size, 7);
        EXPECT_TRUE(is_aligned(table.data(), huge_page));
        EXPECT_EQ(7u, table.back());
    }
}

TEST(huge_page_allocator_test, aligns_a_small_table_as_its_type_needs)
{
    struct alignas(64) line {
        char octets[64];
    };
    huge_page_vector<line> table(3);
    EXPECT_TRUE(is_aligned(table.data(), 64));
}

TEST(huge_page_allocator_test, says_that_there_is_no_such_table)
{
    huge_page_allocator<std::uint64_t> memory;
    EXPECT_THROW((void)memory.allocate(std::numeric_limits<std::size_t>::max() / 8), std::bad_array_new_length);
}

TEST(huge_page_allocator_test, one_may_free_what_another_gave)
{
    huge_page_allocator<int> one;
    const huge_page_allocator<char> of_another_type;
    huge_page_allocator<int> other(of_another_type);
    EXPECT_TRUE(one == other);
    other.deallocate(one.allocate(10), 10);
}

}  // namespace
}  // namespace zlink
