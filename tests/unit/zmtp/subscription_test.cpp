// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Subscriptions in the forms of all versions.
#include "zmtp/subscription.hpp"

#include "unit/zmtp/octets.hpp"

#include <gtest/gtest.h>

using namespace zlink::zmtp;
using namespace zlink::zmtp::test;

namespace {

octets encoded(bool subscribe, const octets& topic, protocol_version version)
{
    octets out;
    append_subscription(out, {subscribe, topic}, version);
    return out;
}

TEST(subscription_test, is_a_command_to_31_peers)
{
    EXPECT_EQ(hex(encoded(true, wire({"AB"}), protocol_version::zmtp_3_1)),
              hex(wire({0x04, 12, 9, "SUBSCRIBE", "AB"})));
    EXPECT_EQ(hex(encoded(false, wire({"AB"}), protocol_version::zmtp_3_1)), hex(wire({0x04, 9, 6, "CANCEL", "AB"})));
    EXPECT_EQ(hex(encoded(true, {}, protocol_version::zmtp_3_1)), hex(wire({0x04, 10, 9, "SUBSCRIBE"})));
    const std::string longer(250, 't');
    EXPECT_EQ(hex(encoded(true, wire({longer}), protocol_version::zmtp_3_1)),
              hex(wire({0x06, zeros(6), 1, 4, 9, "SUBSCRIBE", longer})));
}

TEST(subscription_test, is_a_message_to_older_peers)
{
    for (const auto version : {protocol_version::zmtp_3_0, protocol_version::zmtp_2_0}) {
        EXPECT_EQ(hex(encoded(true, wire({"AB"}), version)), hex(wire({0x00, 3, 1, "AB"})));
        EXPECT_EQ(hex(encoded(false, wire({"AB"}), version)), hex(wire({0x00, 3, 0, "AB"})));
        EXPECT_EQ(hex(encoded(true, {}, version)), hex(wire({0x00, 1, 1})));
    }
    EXPECT_EQ(hex(encoded(true, wire({"AB"}), protocol_version::zmtp_1_0)), hex(wire({4, 0, 1, "AB"})));
    EXPECT_EQ(hex(encoded(false, wire({"AB"}), protocol_version::zmtp_1_0)), hex(wire({4, 0, 0, "AB"})));
    const std::string longer(253, 't');
    EXPECT_EQ(hex(encoded(true, wire({longer}), protocol_version::zmtp_1_0)),
              hex(wire({0xff, zeros(7), 255, 0, 1, longer})));
}

TEST(subscription_test, is_read_from_messages)
{
    const octets on = wire({1, "AB"}), off = wire({0}), other = wire({2, "AB"});
    const auto subscribe = subscription_from_message(on);
    ASSERT_TRUE(subscribe);
    EXPECT_TRUE(subscribe->subscribe);
    EXPECT_EQ(text(subscribe->topic), "AB");
    const auto cancel = subscription_from_message(off);
    ASSERT_TRUE(cancel);
    EXPECT_FALSE(cancel->subscribe);
    EXPECT_TRUE(cancel->topic.empty());
    EXPECT_FALSE(subscription_from_message(other));
    EXPECT_FALSE(subscription_from_message({}));
}

TEST(subscription_test, is_read_from_commands)
{
    const octets on = wire({9, "SUBSCRIBE", "AB"}), off = wire({6, "CANCEL", "AB"}), other = wire({4, "PING", 0, 0});
    const auto subscribe = subscription_from_command(*parse_command(on));
    ASSERT_TRUE(subscribe);
    EXPECT_TRUE(subscribe->subscribe);
    EXPECT_EQ(text(subscribe->topic), "AB");
    const auto cancel = subscription_from_command(*parse_command(off));
    ASSERT_TRUE(cancel);
    EXPECT_FALSE(cancel->subscribe);
    EXPECT_FALSE(subscription_from_command(*parse_command(other)));
}

TEST(subscription_test, many_behind_each_other_are_rarely_moved)
{
    const octets topic = wire({"topic"});
    octets out;
    int moves = 0;
    for (int i = 0; i < 10'000; ++i) {
        const auto before = out.capacity();
        append_subscription(out, {true, topic}, protocol_version::zmtp_3_1);
        moves += out.capacity() != before;
    }
    EXPECT_GE(20, moves);
}

}  // namespace
