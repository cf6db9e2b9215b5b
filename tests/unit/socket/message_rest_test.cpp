// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/message_rest.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace zlink::socket {
namespace {

message::owned_frame frame_of(std::string_view text, bool more)
{
    message::owned_frame f;
    EXPECT_TRUE(f.init_copy_of(text.data(), text.size()));
    f.set_more(more);
    return f;
}

void add(message_rest& rest, std::string_view text, bool more)
{
    ASSERT_TRUE(rest.reserve());
    message::owned_frame f = frame_of(text, more);
    rest.add(f);
    EXPECT_EQ(0u, f.size());
}

std::string_view first_of(message_rest& rest)
{
    return {reinterpret_cast<const char*>(rest.first().data()), rest.first().size()};
}

TEST(message_rest_test, gives_the_parts_in_order_until_there_is_none)
{
    message_rest rest;
    EXPECT_FALSE(rest.any());
    add(rest, "a", true);
    EXPECT_TRUE(rest.any() && rest.unfinished());
    add(rest, "b", false);
    EXPECT_FALSE(rest.unfinished());
    EXPECT_EQ(2u, rest.count());
    EXPECT_EQ("a", first_of(rest));
    rest.take();
    EXPECT_EQ(1u, rest.count());
    EXPECT_EQ("b", first_of(rest));
    rest.take();
    EXPECT_FALSE(rest.any());
}

TEST(message_rest_test, begins_again_after_clear)
{
    message_rest rest;
    add(rest, "a", true);
    rest.clear();
    EXPECT_FALSE(rest.any());
    add(rest, "c", false);
    EXPECT_EQ("c", first_of(rest));
}

}  // namespace
}  // namespace zlink::socket
