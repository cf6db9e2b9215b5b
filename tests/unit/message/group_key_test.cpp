// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Groups as topics.
#include "message/group_key.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>

namespace zlink::message {
namespace {

std::span<const std::byte> octets(const std::string& text)
{
    return std::as_bytes(std::span(text));
}

TEST(group_key_test, holds_groups_of_all_lengths)
{
    for (const std::size_t size : {0, 1, 254, 255}) {
        const std::string group(size, 'g');
        const group_key key(octets(group));
        EXPECT_EQ(size + 1, key.octets().size());
        EXPECT_TRUE(std::ranges::equal(octets(group), key.group()));
        const auto again = group_of_key(key.octets());
        ASSERT_TRUE(again);
        EXPECT_TRUE(std::ranges::equal(octets(group), *again));
    }
}

TEST(group_key_test, knows_its_group)
{
    group_key key;
    EXPECT_TRUE(key.is_of({}));
    for (const std::string& group : {std::string("g"), std::string(200, 'g'), std::string("group"), std::string()}) {
        key.assign(octets(group));
        EXPECT_TRUE(key.is_of(octets(group)));
        EXPECT_FALSE(key.is_of(octets(group + "g")));
        EXPECT_FALSE(key.is_of(octets("h" + group.substr(group.empty() ? 0 : 1))));
    }
}

TEST(group_key_test, lies_in_front_of_a_group_in_a_lane)
{
    for (const std::size_t size : {0, 1, 255}) {
        const std::string group(size, 'g'), in_lane = std::string("\1") + char(size) + group;
        EXPECT_TRUE(std::ranges::equal(group_key(octets(group)).octets(), key_in_lane(octets(in_lane).subspan(2))));
    }
}

TEST(group_key_test, begins_with_no_other_key)
{
    const std::string shorter = "gg", longer = "ggg";
    const group_key one{octets(shorter)}, other{octets(longer)};
    EXPECT_FALSE(std::ranges::equal(one.octets(), other.octets().first(one.octets().size())));
}

TEST(group_key_test, other_octets_are_no_key)
{
    for (const std::string& text : {std::string(), std::string("\1"), std::string("\1ab"), std::string("\0a", 2)}) {
        EXPECT_FALSE(group_of_key(octets(text)));
    }
}

}  // namespace
}  // namespace zlink::message
