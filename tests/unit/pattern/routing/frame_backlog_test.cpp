// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Messages outside of pipes: their order, whole ones alone, and where they came from.
#include "pattern/routing/frame_backlog.hpp"

#include "pattern/routing/whole_message.hpp"
#include "unit/pattern/routing/loose_pipes.hpp"

namespace zlink::pattern::routing::test {
namespace {

class frame_backlog_test : public testing::Test {
protected:
    bool push(std::string_view octets, bool more = false, pipe::pipe_end* from = nullptr)
    {
        return backlog_.push(octets, more, nullptr, from);
    }
    /// Takes all frames; those that are followed by others of their message end with a plus.
    [[nodiscard]] static parts take(frame_backlog& from)
    {
        parts frames;
        while (!from.empty()) {
            message::owned_frame frame;
            pipe::delivery to(frame);
            EXPECT_EQ(errc::none, from.deliver(to));
            frames.emplace_back(reinterpret_cast<const char*>(frame.data()), frame.size());
            if (frame.more()) frames.back() += '+';
        }
        return frames;
    }

    loose_pipe one_;
    loose_pipe other_;
    frame_backlog backlog_;
};

TEST_F(frame_backlog_test, frames_come_in_the_order_in_which_they_went)
{
    EXPECT_TRUE(backlog_.empty());
    ASSERT_TRUE(push("a", true));
    ASSERT_TRUE(push("b"));
    ASSERT_TRUE(push("c"));
    EXPECT_FALSE(backlog_.empty());
    EXPECT_EQ((parts{"a+", "b", "c"}), take(backlog_));
    ASSERT_TRUE(push("d"));
    EXPECT_EQ(parts{"d"}, take(backlog_));
}

TEST_F(frame_backlog_test, keeps_frames_of_a_lane_after_they_have_left_it)
{
    ASSERT_TRUE(write_whole(one_.far(), "from a lane"));
    pipe::incoming f;
    ASSERT_TRUE(one_.near().reader.next(f));
    ASSERT_TRUE(backlog_.push(f, &one_.near()));
    one_.near().pop(f);
    ASSERT_TRUE(write_whole(one_.far(), "another text"));
    EXPECT_EQ(&one_.near(), backlog_.source());
    EXPECT_EQ(parts{"from a lane"}, take(backlog_));
}

TEST_F(frame_backlog_test, takes_back_the_frames_of_a_message_without_an_end)
{
    ASSERT_TRUE(push("whole"));
    ASSERT_TRUE(push("a", true));
    ASSERT_TRUE(push("b", true));
    backlog_.drop_unfinished();
    EXPECT_EQ(parts{"whole"}, take(backlog_));
    ASSERT_TRUE(push("a", true));
    backlog_.drop_unfinished();
    EXPECT_TRUE(backlog_.empty());
    backlog_.drop_unfinished();
}

TEST_F(frame_backlog_test, leaves_a_whole_message_alone_when_it_drops)
{
    ASSERT_TRUE(push("a", true));
    ASSERT_TRUE(push("b"));
    backlog_.drop_unfinished();
    EXPECT_EQ((parts{"a+", "b"}), take(backlog_));
}

TEST_F(frame_backlog_test, forgets_a_pipe_and_keeps_its_messages)
{
    ASSERT_TRUE(push("a", false, &one_.near()));
    ASSERT_TRUE(push("b", false, &other_.near()));
    backlog_.forget(one_.near());
    EXPECT_EQ(nullptr, backlog_.source());
    message::owned_frame frame;
    pipe::delivery to(frame);
    ASSERT_EQ(errc::none, backlog_.deliver(to));
    EXPECT_EQ(&other_.near(), backlog_.source());
}

TEST_F(frame_backlog_test, earlier_messages_can_be_put_before_those_that_are_left)
{
    frame_backlog earlier;
    ASSERT_TRUE(earlier.push("1", true, nullptr));
    ASSERT_TRUE(earlier.push("2", false, nullptr));
    for (const char* body : {"gone", "3", "4"}) ASSERT_TRUE(push(body));
    message::owned_frame frame;
    pipe::delivery to(frame);
    ASSERT_EQ(errc::none, backlog_.deliver(to));
    ASSERT_TRUE(backlog_.prepend(earlier));
    EXPECT_TRUE(earlier.empty());
    EXPECT_EQ((parts{"1+", "2", "3", "4"}), take(backlog_));
    ASSERT_TRUE(backlog_.prepend(earlier)) << "nothing before nothing";
    EXPECT_TRUE(backlog_.empty());
}

}  // namespace
}  // namespace zlink::pattern::routing::test
