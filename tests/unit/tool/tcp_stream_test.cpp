// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pure/tcp_stream.hpp"

#include <gtest/gtest.h>

using zlink::tool::tcp_stream;

namespace {

struct stream_of {
    std::string heard;
    tcp_stream stream{[this](std::string_view octets) { heard += octets; }, 100};
};

}  // namespace

TEST(tcp_stream_test, segments_in_order)
{
    stream_of one;
    one.stream.add(1000, "", true, false);
    one.stream.add(1001, "hello ", false, false);
    one.stream.add(1007, "world", false, true);
    EXPECT_EQ(one.heard, "hello world");
    EXPECT_TRUE(one.stream.begun());
    EXPECT_TRUE(one.stream.complete());
    EXPECT_FALSE(one.stream.has_gap());
}

TEST(tcp_stream_test, segments_in_any_order_and_twice)
{
    stream_of one;
    one.stream.add(1000, "", true, false);
    one.stream.add(1007, "wor", false, false);
    one.stream.add(1010, "ld", false, true);
    EXPECT_TRUE(one.stream.has_gap());
    one.stream.add(1001, "hel", false, false);
    one.stream.add(1003, "llo w", false, false);
    one.stream.add(1001, "hello", false, false);
    EXPECT_EQ(one.heard, "hello world");
    EXPECT_TRUE(one.stream.complete());
}

TEST(tcp_stream_test, numbers_begin_anew_after_the_largest)
{
    stream_of one;
    one.stream.add(0xfffffffd, "", true, false);
    one.stream.add(0, "cd", false, false);
    one.stream.add(0xfffffffe, "ab", false, false);
    one.stream.add(2, "e", false, true);
    EXPECT_EQ(one.heard, "abcde");
    EXPECT_TRUE(one.stream.complete());
}

TEST(tcp_stream_test, without_its_beginning_it_starts_where_it_is_met)
{
    stream_of one;
    one.stream.add(500, "later", false, false);
    one.stream.add(100, "before", false, false);
    EXPECT_EQ(one.heard, "later");
    EXPECT_FALSE(one.stream.begun());
    EXPECT_TRUE(one.stream.started());
}

TEST(tcp_stream_test, too_many_octets_out_of_order_are_not_held)
{
    stream_of one;
    one.stream.add(0, "", true, false);
    one.stream.add(1000, std::string(60, 'a'), false, false);
    EXPECT_FALSE(one.stream.overflowed());
    one.stream.add(2000, std::string(60, 'b'), false, false);
    EXPECT_TRUE(one.stream.overflowed());
    one.stream.add(1, "a", false, false);
    EXPECT_EQ(one.heard, "");
}
