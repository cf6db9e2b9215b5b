// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// PUSH and PULL: work shared in turn, taken in turn.
#include "pattern/pull.hpp"
#include "pattern/push.hpp"

#include "joined_sockets.hpp"

#include <list>

namespace zlink::pattern::test {
namespace {

TEST(push_pull_test, each_goes_one_way)
{
    socket push(PUSH), pull(PULL);
    ASSERT_TRUE(join(push, pull));
    EXPECT_EQ(error(errc::not_supported), push.receive());
    EXPECT_EQ(errc::not_supported, pull.send("x"));
    EXPECT_FALSE(push.can_receive());
    EXPECT_FALSE(pull.can_send());
    EXPECT_EQ(errc::invalid_argument, pull->subscribe({}, true));
}

TEST(push_pull_test, messages_go_whole_and_in_turn)
{
    socket push(PUSH);
    std::list<socket> pulls;
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(join(push, pulls.emplace_back(PULL)));
    for (int i = 0; i < 9; ++i) EXPECT_EQ(errc::none, push.send({std::to_string(i), "x", "y"}));
    for (int round = 0; round < 3; ++round) {
        int n = round * 3;
        for (socket& pull : pulls) {
            EXPECT_EQ((parts{std::to_string(n++), "x", "y"}), pull.receive());
        }
    }
}

TEST(push_pull_test, a_full_peer_is_passed_over_and_comes_back)
{
    socket push(PUSH), small(PULL), large(PULL);
    ASSERT_TRUE(join(push, small, {.hwm = 1}));
    ASSERT_TRUE(join(push, large, {.hwm = 5}));
    int sent = 0;
    while (push.send(std::to_string(sent)) == errc::none) ++sent;
    EXPECT_EQ(6, sent);
    EXPECT_FALSE(push.can_send());
    EXPECT_EQ(parts{"0"}, small.receive());
    EXPECT_TRUE(push.can_send());
    EXPECT_EQ(errc::none, push.send("6"));
    EXPECT_EQ(errc::again, push.send("7"));
    EXPECT_EQ(parts{"6"}, small.receive());
}

TEST(push_pull_test, without_peers_nothing_is_taken)
{
    socket push(PUSH);
    EXPECT_EQ(errc::again, push.send("x"));
    EXPECT_FALSE(push.can_send());
}

TEST(push_pull_test, the_rest_of_a_message_goes_with_its_peer)
{
    socket push(PUSH), leaving(PULL), staying(PULL);
    ASSERT_TRUE(join(push, leaving));
    ASSERT_TRUE(join(push, staying));
    EXPECT_EQ(errc::none, push.send_frame("1", true));
    leaving.disconnect(leaving.end());
    EXPECT_EQ(errc::none, push.send_frame("2", true));
    EXPECT_EQ(errc::none, push.send_frame("3"));
    EXPECT_EQ(1u, push.pipes());
    EXPECT_EQ(errc::none, push.send("whole"));
    EXPECT_EQ(parts{"whole"}, staying.receive());
    EXPECT_EQ(nothing, staying.receive());
}

TEST(push_pull_test, a_local_disconnect_in_mid_message_swallows_the_rest)
{
    socket push(PUSH), one(PULL), two(PULL);
    ASSERT_TRUE(join(push, one));
    ASSERT_TRUE(join(push, two));
    EXPECT_EQ(errc::none, push.send_frame("1", true));
    push.disconnect(push.end(0));
    EXPECT_EQ(errc::none, push.send_frame("2"));
    EXPECT_EQ(errc::none, push.send("3"));
    EXPECT_EQ(nothing, one.receive());
    EXPECT_EQ(parts{"3"}, two.receive());
}

TEST(push_pull_test, takes_from_all_peers_in_turn)
{
    socket pull(PULL);
    std::list<socket> pushes;
    for (int i = 0; i < 4; ++i) {
        ASSERT_TRUE(join(pushes.emplace_back(PUSH), pull));
        for (int n = 0; n < 5; ++n) pushes.back().send({std::to_string(i), std::to_string(n)});
    }
    for (int n = 0; n < 5; ++n) {
        for (int i = 0; i < 4; ++i) EXPECT_EQ((parts{std::to_string(i), std::to_string(n)}), pull.receive());
    }
    EXPECT_EQ(nothing, pull.receive());
}

TEST(push_pull_test, what_a_departed_peer_sent_is_received)
{
    socket push(PUSH), pull(PULL);
    ASSERT_TRUE(join(push, pull));
    push.send("1");
    push.send({"2", "3"});
    push.disconnect(push.end());
    EXPECT_EQ(parts{"1"}, pull.receive());
    EXPECT_EQ(1u, pull.pipes());
    EXPECT_EQ((parts{"2", "3"}), pull.receive());
    EXPECT_EQ(nothing, pull.receive());
    EXPECT_EQ(0u, pull.pipes());
    EXPECT_EQ(1, pull.times_given_up);
}

TEST(push_pull_test, a_disconnect_drops_what_was_not_received)
{
    socket one(PUSH), two(PUSH), pull(PULL);
    ASSERT_TRUE(join(one, pull));
    ASSERT_TRUE(join(two, pull));
    one.send("dropped");
    two.send("kept");
    pull.pump();
    pull.disconnect(pull.end(0));
    EXPECT_EQ(parts{"kept"}, pull.receive());
    EXPECT_EQ(nothing, pull.receive());
}

TEST(push_pull_test, dormant_pipes_wake_by_their_event)
{
    socket pull(PULL);
    std::list<socket> pushes;
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(join(pushes.emplace_back(PUSH), pull));
    EXPECT_EQ(nothing, pull.receive());
    EXPECT_FALSE(pull.sleep());
    pushes.back().send("x");
    EXPECT_TRUE(pull.can_receive());
    EXPECT_EQ(parts{"x"}, pull.receive());
    EXPECT_FALSE(pull.sleep());
    pushes.front().send("1");
    pushes.back().send("2");
    parts got{pull.receive().front(), pull.receive().front()};
    std::sort(got.begin(), got.end());
    EXPECT_EQ((parts{"1", "2"}), got);
}

TEST(push_pull_test, does_not_sleep_over_what_came_during_the_announcement)
{
    socket one(PUSH), two(PUSH), pull(PULL);
    ASSERT_TRUE(join(one, pull));
    ASSERT_TRUE(join(two, pull));
    EXPECT_EQ(nothing, pull.receive());
    pull->announce_sleep();
    two.send("in between");
    EXPECT_TRUE(pull->confirm_sleep());
    EXPECT_EQ(parts{"in between"}, pull.receive());
    EXPECT_FALSE(pull.sleep());
    one.send("later");
    EXPECT_EQ(parts{"later"}, pull.receive());
}

TEST(push_pull_test, hundreds_of_quiet_peers_go_dormant_by_themselves_and_none_is_forgotten)
{
    socket pull(PULL);
    std::list<socket> pushes;
    for (int i = 0; i < 300; ++i) ASSERT_TRUE(join(pushes.emplace_back(PUSH), pull));
    EXPECT_EQ(nothing, pull.receive());
    std::size_t dormant = 0;
    for (std::size_t i = 0; i < 300; ++i) dormant += pull.end(i).reader.dormant();
    EXPECT_EQ(300u, dormant);
    for (int round = 0; round < 3; ++round) {
        int i = 0;
        for (socket& push : pushes) {
            if (++i % (round + 2) == 0) push.send(std::to_string(i));
        }
        std::vector<int> got;
        for (parts message = pull.receive(); message != nothing; message = pull.receive()) {
            got.push_back(std::stoi(message.front()));
        }
        EXPECT_EQ(300u / (unsigned(round) + 2), got.size());
        std::sort(got.begin(), got.end());
        EXPECT_EQ(got.end(), std::unique(got.begin(), got.end()));
    }
    for (socket& push : pushes) push.disconnect(push.end());
    EXPECT_EQ(nothing, pull.receive());
    EXPECT_EQ(0u, pull.pipes());
}

}  // namespace
}  // namespace zlink::pattern::test
