// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "zws/fragments.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace zlink::zws::test {
namespace {

std::span<const std::byte> octets_of(std::string_view text)
{
    return std::as_bytes(std::span(text));
}

std::string text_of(const fragments& f)
{
    return {reinterpret_cast<const char*>(f.octets().data()), f.octets().size()};
}

TEST(fragments_test, only_a_continuation_follows_what_has_begun)
{
    fragments f;
    EXPECT_FALSE(f.begun());
    EXPECT_TRUE(f.may_follow(opcode::binary));
    EXPECT_FALSE(f.may_follow(opcode::continuation));
    f.add(octets_of("a"), false);
    EXPECT_TRUE(f.begun());
    EXPECT_FALSE(f.may_follow(opcode::binary));
    EXPECT_TRUE(f.may_follow(opcode::continuation));
    f.add(octets_of("b"), true);
    EXPECT_FALSE(f.begun());
    EXPECT_TRUE(f.may_follow(opcode::binary));
}

TEST(fragments_test, keeps_all_octets_until_the_message_is_done_with)
{
    fragments f;
    f.add(octets_of("one"), false);
    f.add({}, false);
    f.add(octets_of(" two"), true);
    EXPECT_EQ("one two", text_of(f));
    f.clear();
    EXPECT_EQ("", text_of(f));
    f.add(octets_of(std::string(100'000, 'x')), true);
    f.clear();
    f.add(octets_of("three"), true);
    EXPECT_EQ("three", text_of(f));
}

}  // namespace
}  // namespace zlink::zws::test
