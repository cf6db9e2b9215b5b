// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// JOIN and LEAVE commands.
#include "zmtp/membership.hpp"

#include "unit/zmtp/octets.hpp"

#include <gtest/gtest.h>

using namespace zlink::zmtp;
using namespace zlink::zmtp::test;

namespace {

std::optional<membership> parsed(const octets& body)
{
    const auto command = parse_command(body);
    return command ? membership_from_command(*command) : std::nullopt;
}

TEST(membership_test, is_read_from_its_commands)
{
    const octets join = wire({4, "JOIN", "group"}), leave = wire({5, "LEAVE"});
    const auto joined = parsed(join), left = parsed(leave);
    ASSERT_TRUE(joined && left);
    EXPECT_TRUE(joined->join);
    EXPECT_EQ("group", text(joined->group));
    EXPECT_FALSE(left->join);
    EXPECT_TRUE(left->group.empty());
}

TEST(membership_test, is_in_no_other_command)
{
    for (const octets& body :
         {wire({9, "SUBSCRIBE", "x"}), wire({4, "join"}), wire({5, "JOINx"}), wire({4, "PING", zeros(2)})}) {
        EXPECT_FALSE(parsed(body)) << hex(body);
    }
}

TEST(membership_test, groups_have_at_most_255_octets)
{
    EXPECT_TRUE(parsed(wire({4, "JOIN", std::string(255, 'g')})));
    EXPECT_FALSE(parsed(wire({4, "JOIN", std::string(256, 'g')})));
    EXPECT_FALSE(parsed(wire({5, "LEAVE", std::string(256, 'g')})));
}

TEST(membership_test, is_written_as_it_is_read)
{
    std::byte prefix[max_membership_prefix];
    EXPECT_EQ(join_prefix_size, encode_membership_prefix(prefix, true));
    EXPECT_EQ(hex(wire({4, "JOIN"})), hex(octets(prefix, prefix + join_prefix_size)));
    EXPECT_EQ(leave_prefix_size, encode_membership_prefix(prefix, false));
    EXPECT_EQ(hex(wire({5, "LEAVE"})), hex(octets(prefix, prefix + leave_prefix_size)));
}

}  // namespace
