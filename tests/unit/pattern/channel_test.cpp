// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// CHANNEL: one peer, messages of one frame.
#include "joined_sockets.hpp"
#include "pattern/channel.hpp"
#include "pattern/routing/sole_peer.hpp"

namespace zlink::pattern::test {
namespace {

TEST(channel_test, sends_and_receives_both_ways)
{
    socket one(CHANNEL), two(CHANNEL);
    EXPECT_EQ(errc::again, one.send("x"));
    EXPECT_EQ(nothing, one.receive());
    ASSERT_TRUE(join(one, two));
    EXPECT_EQ(errc::none, one.send("there"));
    EXPECT_EQ(errc::none, two.send("back"));
    EXPECT_EQ(parts{"there"}, two.receive());
    EXPECT_EQ(parts{"back"}, one.receive());
}

TEST(channel_test, several_frames_are_refused)
{
    socket one(CHANNEL), two(CHANNEL);
    EXPECT_EQ(errc::invalid_argument, one.send_frame("first", true));
    ASSERT_TRUE(join(one, two));
    EXPECT_EQ(errc::invalid_argument, one.send_frame("first", true));
    EXPECT_EQ(errc::none, one.send("whole"));
    EXPECT_EQ(parts{"whole"}, two.receive());
}

TEST(channel_test, messages_of_several_frames_from_the_peer_are_dropped)
{
    socket channel(CHANNEL);
    wire peer(channel);
    peer.send({"a", "b", "c"});
    EXPECT_FALSE(channel.can_receive());
    peer.send({"a", "b"});
    peer.send({"1"});
    EXPECT_TRUE(channel.can_receive());
    EXPECT_EQ(parts{"1"}, channel.receive());
    EXPECT_EQ(nothing, channel.receive());
}

TEST(channel_test, a_second_peer_is_refused)
{
    socket one(CHANNEL), two(CHANNEL), three(CHANNEL);
    ASSERT_TRUE(join(one, two));
    EXPECT_FALSE(join(three, one));
    EXPECT_EQ(errc::none, one.send("for two"));
    EXPECT_EQ(parts{"for two"}, two.receive());
}

TEST(channel_test, a_full_queue_refuses)
{
    socket one(CHANNEL), two(CHANNEL);
    ASSERT_TRUE(join(one, two, {.hwm = 1}));
    EXPECT_EQ(errc::none, one.send("1"));
    EXPECT_EQ(errc::again, one.send("2"));
    EXPECT_FALSE(one.can_send());
    EXPECT_EQ(parts{"1"}, two.receive());
    EXPECT_TRUE(one.can_send());
}

TEST(channel_test, what_a_departed_peer_sent_is_received)
{
    socket one(CHANNEL), two(CHANNEL);
    ASSERT_TRUE(join(one, two));
    one.send("1");
    one.disconnect(one.end());
    EXPECT_EQ(parts{"1"}, two.receive());
    EXPECT_EQ(nothing, two.receive());
    EXPECT_EQ(0u, two.pipes());
    EXPECT_EQ(errc::again, two.send("x"));
}

}  // namespace
}  // namespace zlink::pattern::test
