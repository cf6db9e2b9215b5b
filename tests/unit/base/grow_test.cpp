// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "base/grow.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace zlink {
namespace {

TEST(grow_test, makes_room_behind_the_last_element)
{
    std::vector<int> v{1, 2};
    grow_for(v, 5);
    EXPECT_LE(7U, v.capacity());
    EXPECT_EQ((std::vector<int>{1, 2}), v);
}

TEST(grow_test, moves_nothing_while_there_is_room)
{
    std::vector<int> v;
    v.reserve(10);
    const auto room = v.capacity();
    grow_for(v, room);
    EXPECT_EQ(room, v.capacity());
}

TEST(grow_test, moves_the_elements_rarely_however_often_something_is_appended)
{
    std::vector<int> v;
    int moves = 0;
    for (int i = 0; i < 100'000; ++i) {
        const auto before = v.capacity();
        grow_for(v, 1);
        moves += v.capacity() != before;
        v.push_back(i);
    }
    EXPECT_GE(20, moves);
}

}  // namespace
}  // namespace zlink
