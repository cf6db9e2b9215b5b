// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Values that cross zmq_setsockopt and zmq_getsockopt: sizes, null, room.
#include "base/option_values.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace zlink {
namespace {

TEST(option_values_test, a_number_is_read_if_its_size_is_exact)
{
    const int value = 5;
    EXPECT_EQ(5, option_input(&value, sizeof value).as<int>());
    EXPECT_FALSE(option_input(&value, sizeof value - 1).as<int>());
    EXPECT_FALSE(option_input(&value, sizeof value).as<std::int64_t>());
    EXPECT_FALSE(option_input(nullptr, sizeof value).as<int>());
}

TEST(option_values_test, null_is_empty_unless_it_has_a_length)
{
    const option_input none(nullptr, 0);
    EXPECT_TRUE(none.is_null());
    EXPECT_FALSE(none.is_broken());
    EXPECT_EQ("", none.bytes());
    EXPECT_TRUE(option_input(nullptr, 1).is_broken());
    EXPECT_FALSE(option_input("", 0).is_null());
}

TEST(option_values_test, a_text_loses_one_terminating_zero)
{
    EXPECT_EQ("ab", option_input("ab", 3).text());
    EXPECT_EQ("ab", option_input("ab", 2).text());
    EXPECT_EQ(std::string_view("ab\0", 3), option_input("ab\0", 4).text());
    EXPECT_EQ(std::string_view("ab\0", 3), option_input("ab", 3).bytes());
}

TEST(option_values_test, numbers_want_their_exact_room_unless_they_are_live)
{
    std::int64_t room = -1;
    std::size_t size = sizeof room;
    EXPECT_EQ(errc::invalid_argument, option_output(&room, &size).put(5));
    EXPECT_EQ(errc::none, option_output(&room, &size).put_in_room(5));
    EXPECT_EQ(sizeof(int), size);
    EXPECT_EQ(errc::none, option_output(&room, &size).put(6));
}

TEST(option_values_test, octets_are_followed_by_zeros_and_measured)
{
    std::string room(5, 'x');
    std::size_t size = room.size();
    EXPECT_EQ(errc::none, option_output(room.data(), &size).put_text("ab"));
    EXPECT_EQ(3U, size);
    EXPECT_EQ(std::string("ab\0\0\0", 5), room);
    size = 2;
    EXPECT_EQ(errc::invalid_argument, option_output(room.data(), &size).put_text("ab"));
    EXPECT_EQ(2U, size);
}

TEST(option_values_test, octets_may_be_put_without_a_measure)
{
    std::string room(5, 'x');
    std::size_t size = room.size();
    EXPECT_EQ(errc::none, option_output(room.data(), &size).put_unmeasured("ab"));
    EXPECT_EQ(5U, size);
    EXPECT_EQ("abxxx", room);
}

TEST(option_values_test, room_without_a_place_or_a_size_is_broken)
{
    std::size_t size = 1;
    EXPECT_TRUE(option_output(nullptr, &size).is_broken());
    EXPECT_TRUE(option_output(&size, nullptr).is_broken());
    size = 0;
    EXPECT_FALSE(option_output(nullptr, &size).is_broken());
}

}  // namespace
}  // namespace zlink
