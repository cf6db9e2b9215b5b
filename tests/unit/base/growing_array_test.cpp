// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// An array that grows in parts: elements stay where they are and keep their values.
#include "base/growing_array.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace zlink {
namespace {

struct alignas(64) element {
    std::uint64_t value = 7;
};

TEST(growing_array_test, starts_empty_without_memory)
{
    growing_array<element> array;
    EXPECT_EQ(0u, array.size());
    array.clear();
    EXPECT_EQ(0u, array.size());
}

TEST(growing_array_test, elements_keep_their_places)
{
    growing_array<element> array;
    std::vector<element*> places;
    for (std::size_t i = 0; i < 100000; ++i) {
        ASSERT_TRUE(array.grow_to(i + 1));
        ASSERT_EQ(7u, array[i].value);
        ASSERT_EQ(0u, reinterpret_cast<std::uintptr_t>(&array[i]) % alignof(element));
        array[i].value = i;
        places.push_back(&array[i]);
    }
    ASSERT_EQ(100000u, array.size());
    for (std::size_t i = 0; i < array.size(); ++i) {
        ASSERT_EQ(places[i], &array[i]);
        ASSERT_EQ(i, array[i].value);
    }
}

TEST(growing_array_test, grows_to_a_size_and_never_shrinks_by_it)
{
    growing_array<std::uint32_t> array;
    ASSERT_TRUE(array.grow_to(1000));
    EXPECT_EQ(1000u, array.size());
    for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(0u, array[i]);
    array[999] = 5;
    ASSERT_TRUE(array.grow_to(10));
    EXPECT_EQ(1000u, array.size());
    EXPECT_EQ(5u, array[999]);
}

TEST(growing_array_test, is_as_new_after_clear)
{
    growing_array<std::uint32_t> array;
    ASSERT_TRUE(array.grow_to(1 << 20));
    array[0] = array[(1 << 20) - 1] = 1;
    array.clear();
    EXPECT_EQ(0u, array.size());
    ASSERT_TRUE(array.grow_to(1 << 20));
    EXPECT_EQ(0u, array[0]);
    EXPECT_EQ(0u, array[(1 << 20) - 1]);
}

}  // namespace
}  // namespace zlink
