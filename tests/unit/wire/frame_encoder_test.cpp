// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How frames look on wires that are not the lane's own form.
#include "wire/frame_encoder.hpp"

#include "unit/pipe/lane_fixture.hpp"
#include "wire/zws_octets.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zlink::wire {
namespace {

using pipe::test::pattern_of;

std::span<const std::byte> octets(const std::string& text)
{
    return {pipe::test::bytes(text), text.size()};
}

std::string encoded(frame_encoder& how, const std::string& body, bool more = false, bool first = true)
{
    std::vector<std::byte> to{std::byte{'>'}};  // what was there stays
    how.encode({octets(body), more, first}, to);
    EXPECT_EQ(std::byte{'>'}, to.front());
    return pipe::test::text(to.data() + 1, to.size() - 1);
}

TEST(frame_encoder_test, raw_frames_are_their_bodies)
{
    const auto raw = make_raw_encoder();
    EXPECT_EQ("body", encoded(*raw, "body"));
    EXPECT_EQ("body", encoded(*raw, "body", true));
    EXPECT_EQ("", encoded(*raw, ""));
}

TEST(frame_encoder_test, zmtp1_counts_the_flags_in_the_length)
{
    const auto zmtp1 = make_zmtp1_encoder();
    EXPECT_EQ(std::string("\1\0", 2), encoded(*zmtp1, ""));
    EXPECT_EQ(std::string("\5\1body", 6), encoded(*zmtp1, "body", true));
    const std::string longest_short = pattern_of(253), shortest_long = pattern_of(254);
    EXPECT_EQ(std::string("\xfe\0", 2) + longest_short, encoded(*zmtp1, longest_short));
    EXPECT_EQ(std::string("\xff\0\0\0\0\0\0\0\xff\0", 10) + shortest_long, encoded(*zmtp1, shortest_long));
}

TEST(frame_encoder_test, subscriptions_become_commands)
{
    const auto wire = make_subscription_encoder();
    EXPECT_EQ(std::string("\4\x0e\x09SUBSCRIBEtopi", 16), encoded(*wire, "\1topi"));
    EXPECT_EQ(std::string("\4\x0b\6CANCELtopi", 13), encoded(*wire, std::string("\0topi", 5)));
}

TEST(frame_encoder_test, what_is_no_subscription_stays_a_message)
{
    const auto wire = make_subscription_encoder();
    // The first of several frames, a later one, another first octet, none at all.
    EXPECT_EQ(std::string("\1\2\1a", 4), encoded(*wire, "\1a", true));
    EXPECT_EQ(std::string("\0\2\1a", 4), encoded(*wire, "\1a", false, false));
    EXPECT_EQ(std::string("\0\2\2a", 4), encoded(*wire, "\2a"));
    EXPECT_EQ(std::string("\0\0", 2), encoded(*wire, ""));
}

TEST(frame_encoder_test, memberships_become_commands)
{
    const auto wire = make_group_encoder();
    EXPECT_EQ(std::string("\4\x9\4JOINgrou", 11), encoded(*wire, "\1\4grou"));
    EXPECT_EQ(std::string("\4\xa\5LEAVEgrou", 12), encoded(*wire, std::string("\0\4grou", 6)));
    EXPECT_EQ(std::string("\4\5\4JOIN", 7), encoded(*wire, std::string("\1\0", 2)));
    const std::string longest = pattern_of(255);
    EXPECT_EQ(std::string("\6\0\0\0\0\0\0\1\4\4JOIN", 14) + longest, encoded(*wire, "\1\xff" + longest));
}

TEST(frame_encoder_test, what_is_no_membership_stays_a_message)
{
    const auto wire = make_group_encoder();
    // The first of several frames, a later one, another first octet, a length that is not the group's, none at all.
    EXPECT_EQ(std::string("\1\3\1\1a", 5), encoded(*wire, "\1\1a", true));
    EXPECT_EQ(std::string("\0\3\1\1a", 5), encoded(*wire, "\1\1a", false, false));
    EXPECT_EQ(std::string("\0\3\2\1a", 5), encoded(*wire, "\2\1a"));
    EXPECT_EQ(std::string("\0\3\1\2a", 5), encoded(*wire, "\1\2a"));
    EXPECT_EQ(std::string("\0\1\1", 3), encoded(*wire, "\1"));
    EXPECT_EQ(std::string("\0\0", 2), encoded(*wire, ""));
}

TEST(frame_encoder_test, memberships_are_commands_of_websocket_too)
{
    const auto server = make_zws_group_encoder(false);
    server->begin();
    EXPECT_EQ(std::string("\x82\x0a\2\4JOINgrou", 12), encoded(*server, "\1\4grou"));
    EXPECT_EQ(std::string("\x82\x06\0\1\4gro", 8), encoded(*server, "\1\4gro"));
    const auto client = make_zws_group_encoder(true);
    client->begin();
    EXPECT_EQ(2u + 4 + 10, encoded(*client, "\1\4grou").size());
}

}  // namespace
}  // namespace zlink::wire
