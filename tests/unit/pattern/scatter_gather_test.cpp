// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// SCATTER and GATHER: messages of one frame, shared in turn, taken in turn.
#include "joined_sockets.hpp"
#include "pattern/gather.hpp"
#include "pattern/scatter.hpp"

#include <list>

namespace zlink::pattern::test {
namespace {

TEST(scatter_gather_test, each_goes_one_way)
{
    socket scatter(SCATTER), gather(GATHER);
    ASSERT_TRUE(join(scatter, gather));
    EXPECT_EQ(error(errc::not_supported), scatter.receive());
    EXPECT_EQ(errc::not_supported, gather.send("x"));
    EXPECT_FALSE(scatter.can_receive());
    EXPECT_FALSE(gather.can_send());
    EXPECT_EQ(errc::invalid_argument, gather->subscribe({}, true));
}

TEST(scatter_gather_test, messages_go_in_turn)
{
    socket scatter(SCATTER);
    std::list<socket> gathers;
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(join(scatter, gathers.emplace_back(GATHER)));
    for (int i = 0; i < 9; ++i) EXPECT_EQ(errc::none, scatter.send(std::to_string(i)));
    for (int round = 0; round < 3; ++round) {
        int n = round * 3;
        for (socket& gather : gathers) EXPECT_EQ(parts{std::to_string(n++)}, gather.receive());
    }
}

TEST(scatter_gather_test, several_frames_are_refused)
{
    socket scatter(SCATTER), gather(GATHER);
    EXPECT_EQ(errc::invalid_argument, scatter.send_frame("first", true));
    ASSERT_TRUE(join(scatter, gather));
    EXPECT_EQ(errc::invalid_argument, scatter.send_frame("first", true));
    EXPECT_EQ(errc::none, scatter.send("whole"));
    EXPECT_EQ(parts{"whole"}, gather.receive());
    EXPECT_EQ(nothing, gather.receive());
}

TEST(scatter_gather_test, a_full_peer_is_passed_over)
{
    socket scatter(SCATTER), gather(GATHER);
    EXPECT_EQ(errc::again, scatter.send("x"));
    ASSERT_TRUE(join(scatter, gather, {.hwm = 1}));
    EXPECT_EQ(errc::none, scatter.send("1"));
    EXPECT_EQ(errc::again, scatter.send("2"));
    EXPECT_FALSE(scatter.can_send());
    EXPECT_EQ(parts{"1"}, gather.receive());
    EXPECT_TRUE(scatter.can_send());
}

TEST(scatter_gather_test, messages_of_several_frames_from_a_peer_are_dropped)
{
    socket gather(GATHER);
    wire one(gather), two(gather);
    one.send({"a", "b"});
    EXPECT_FALSE(gather.can_receive());
    one.send({"a", "b", "c"});
    one.send({"1"});
    two.send({"a", "b"});
    two.send({"2"});
    EXPECT_TRUE(gather.can_receive());
    parts got{gather.receive().front(), gather.receive().front()};
    std::sort(got.begin(), got.end());
    EXPECT_EQ((parts{"1", "2"}), got);
    one.send({"last", "of all"});
    EXPECT_EQ(nothing, gather.receive());
    one.close();
    EXPECT_EQ(nothing, gather.receive());
    EXPECT_EQ(1u, gather.pipes());
}

TEST(scatter_gather_test, what_a_departed_peer_sent_is_received)
{
    socket scatter(SCATTER), gather(GATHER);
    ASSERT_TRUE(join(scatter, gather));
    scatter.send("1");
    scatter.disconnect(scatter.end());
    EXPECT_EQ(parts{"1"}, gather.receive());
    EXPECT_EQ(nothing, gather.receive());
    EXPECT_EQ(0u, gather.pipes());
}

TEST(scatter_gather_test, dormant_pipes_wake_by_their_event)
{
    socket scatter(SCATTER), gather(GATHER);
    ASSERT_TRUE(join(scatter, gather));
    EXPECT_EQ(nothing, gather.receive());
    EXPECT_FALSE(gather.sleep());
    scatter.send("x");
    EXPECT_EQ(parts{"x"}, gather.receive());
}

}  // namespace
}  // namespace zlink::pattern::test
