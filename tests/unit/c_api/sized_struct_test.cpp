// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Structures of programs that know fewer members, or more.
#include "c_api/sized_struct.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace zlink::c_api {
namespace {

struct known {
    std::size_t size;
    int value;
};

struct larger {
    known first;
    long rest;
};

TEST(sized_struct_test, stores_as_many_as_there_is_room_for_and_counts_all)
{
    known room[3] = {{sizeof(known), -1}, {}, {7, 7}};
    sized_structs to(room, 2);
    ASSERT_TRUE(to.is_sound());
    for (int i = 1; i < 4; ++i) to.put(known{0, i});
    EXPECT_EQ(3u, to.offered());
    EXPECT_EQ(1, room[0].value);
    EXPECT_EQ(2, room[1].value);
    EXPECT_EQ(sizeof(known), room[1].size);
    EXPECT_EQ(7, room[2].value);
}

TEST(sized_struct_test, members_that_the_library_does_not_know_become_0)
{
    larger room[2];
    std::memset(room, 0xff, sizeof room);
    room[0].first.size = sizeof(larger);
    sized_structs to(&room[0].first, 2);
    ASSERT_TRUE(to.is_sound());
    to.put(known{0, 1});
    to.put(known{0, 2});
    EXPECT_EQ(2, room[1].first.value);
    EXPECT_EQ(sizeof(known), room[1].first.size);
    EXPECT_EQ(0, room[0].rest);
    EXPECT_EQ(0, room[1].rest);
}

TEST(sized_struct_test, a_structure_that_is_too_small_is_not_sound)
{
    known room{sizeof(known) - 1, 0};
    EXPECT_FALSE(sized_structs(&room, 1).is_sound());
    EXPECT_TRUE(sized_structs(&room, 0).is_sound()) << "only to count";
    EXPECT_TRUE(sized_structs(static_cast<known*>(nullptr), 0).is_sound());
}

}  // namespace
}  // namespace zlink::c_api
