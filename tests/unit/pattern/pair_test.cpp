// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// PAIR: one peer, both ways, nothing lost.
#include "pattern/pair.hpp"

#include "joined_sockets.hpp"

namespace zlink::pattern::test {
namespace {

TEST(pair_test, talks_both_ways)
{
    socket a(PAIR), b(PAIR);
    ASSERT_TRUE(join(a, b));
    EXPECT_EQ(errc::none, a.send("1"));
    EXPECT_EQ(errc::none, a.send({"2", "", "3"}));
    EXPECT_EQ(errc::none, b.send("4"));
    EXPECT_EQ(parts{"1"}, b.receive());
    EXPECT_EQ((parts{"2", "", "3"}), b.receive());
    EXPECT_EQ(nothing, b.receive());
    EXPECT_EQ(parts{"4"}, a.receive());
}

TEST(pair_test, without_a_peer_sends_and_receives_nothing)
{
    socket a(PAIR);
    EXPECT_EQ(errc::again, a.send("x"));
    EXPECT_FALSE(a.can_send());
    EXPECT_FALSE(a.can_receive());
    EXPECT_EQ(nothing, a.receive());
}

TEST(pair_test, refuses_a_second_peer_until_the_first_has_gone)
{
    socket a(PAIR), b(PAIR), c(PAIR);
    ASSERT_TRUE(join(b, a));
    EXPECT_FALSE(join(c, a));
    EXPECT_EQ(errc::none, b.send("last"));
    b.disconnect(b.end());
    a.pump();
    EXPECT_EQ(errc::again, a.send("nobody"));
    EXPECT_EQ(parts{"last"}, a.receive());
    EXPECT_EQ(nothing, a.receive());
    EXPECT_EQ(0u, a.pipes());
    c.pump();
    ASSERT_TRUE(join(c, a));
    EXPECT_EQ(errc::none, a.send("hello"));
    EXPECT_EQ(parts{"hello"}, c.receive());
}

TEST(pair_test, gives_a_silent_peer_up_as_soon_as_it_has_gone)
{
    socket a(PAIR), b(PAIR);
    ASSERT_TRUE(join(b, a));
    a.give_up_later = true;
    b.disconnect(b.end());
    a.pump();
    EXPECT_EQ(1, a.times_given_up);
    EXPECT_EQ(0u, a.pipes());
}

TEST(pair_test, waits_at_the_high_water_mark_and_is_told_of_room)
{
    socket a(PAIR), b(PAIR);
    ASSERT_TRUE(join(a, b, {.hwm = 2}));
    EXPECT_EQ(errc::none, a.send("1"));
    EXPECT_EQ(errc::none, a.send({"2a", "2b"}));
    EXPECT_EQ(errc::again, a.send("3"));
    EXPECT_FALSE(a.can_send());
    EXPECT_EQ(parts{"1"}, b.receive());
    EXPECT_TRUE(a.can_send());
    EXPECT_EQ(errc::none, a.send("3"));
    EXPECT_EQ((parts{"2a", "2b"}), b.receive());
    EXPECT_EQ(parts{"3"}, b.receive());
}

TEST(pair_test, swallows_the_rest_of_a_message_whose_peer_has_gone)
{
    socket a(PAIR), b(PAIR), c(PAIR);
    ASSERT_TRUE(join(b, a));
    EXPECT_EQ(errc::none, a.send_frame("1", true));
    b.disconnect(b.end());
    a.pump();
    ASSERT_TRUE(join(c, a));
    EXPECT_EQ(errc::none, a.send_frame("2", true));
    EXPECT_EQ(errc::none, a.send_frame("3"));
    EXPECT_EQ(errc::none, a.send("whole"));
    EXPECT_EQ(parts{"whole"}, c.receive());
}

TEST(pair_test, an_unfinished_message_is_not_seen)
{
    socket a(PAIR), b(PAIR);
    ASSERT_TRUE(join(a, b));
    EXPECT_EQ(errc::none, a.send_frame("1", true));
    EXPECT_FALSE(b.can_receive());
    EXPECT_EQ(errc::none, a.send_frame("2"));
    EXPECT_TRUE(b.can_receive());
    EXPECT_EQ((parts{"1", "2"}), b.receive());
}

TEST(pair_test, sleeps_only_when_nothing_is_there)
{
    socket a(PAIR), b(PAIR);
    ASSERT_TRUE(join(a, b));
    EXPECT_FALSE(b.sleep());
    EXPECT_EQ(errc::none, a.send("1"));
    EXPECT_TRUE(b.sleep());
    EXPECT_EQ(parts{"1"}, b.receive());
    EXPECT_FALSE(b.sleep());
    a.disconnect(a.end());
    EXPECT_TRUE(b.sleep());
    EXPECT_EQ(nothing, b.receive());
    EXPECT_FALSE(b.sleep());
}

TEST(pair_test, receives_into_memory_that_is_too_small)
{
    socket a(PAIR), b(PAIR);
    ASSERT_TRUE(join(a, b));
    EXPECT_EQ(errc::none, a.send("abcdef"));
    char memory[4] = {};
    pipe::delivery to(memory, 3);
    EXPECT_EQ(errc::none, b->receive(to));
    EXPECT_EQ(6u, to.size());
    EXPECT_STREQ("abc", memory);
    EXPECT_EQ(nothing, b.receive());
}

}  // namespace
}  // namespace zlink::pattern::test
