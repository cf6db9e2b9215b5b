// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pipe/end_inbox.hpp"
#include "pipe/pipe_event.hpp"

#include "pipe/pipe.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace zlink::pipe::test {
namespace {

// Tells departures from other news.
class two_lines final : public activation_queue {
public:
    std::vector<pipe_end*> departed;

    void push_departed(pipe_end& end) noexcept override { departed.push_back(&end); }

private:
    void wake() noexcept override {}
};

class end_inbox_test : public testing::Test {
protected:
    ~end_inbox_test() override
    {
        queue_->release();
        pipe_->second().close();
        pipe_->first().close();
    }

    /// How often the end came out of the queue.
    int taken()
    {
        int ends = 0;
        for (pipe_end* end = queue_->take_all(); end; end = end->next_in_queue) {
            EXPECT_EQ(&self_, end);
            ++ends;
        }
        return ends;
    }

    two_lines* queue_ = new two_lines;
    pipe* pipe_ = pipe::create({0, 0, 8192});
    pipe_end& self_ = pipe_->first();  // stands in the queue; its own inbox is not used
    end_inbox inbox_;
};

TEST_F(end_inbox_test, the_first_event_queues_the_end_and_others_join_it)
{
    inbox_.attach(self_, *queue_, true);
    EXPECT_EQ(0, taken());
    inbox_.tell(self_, event_data);
    inbox_.tell(self_, event_credit);
    EXPECT_EQ(1, taken());
    EXPECT_EQ(event_data | event_credit, inbox_.take());
    EXPECT_EQ(0u, inbox_.take());
    inbox_.tell(self_, event_data);
    EXPECT_EQ(1, taken());
}

TEST_F(end_inbox_test, events_wait_for_an_owner)
{
    inbox_.tell(self_, event_hwm);
    inbox_.attach(self_, *queue_, true);
    EXPECT_EQ(1, taken());
    EXPECT_EQ(std::uint32_t{event_hwm}, inbox_.take());
}

TEST_F(end_inbox_test, a_departure_has_a_line_of_its_own)
{
    inbox_.attach(self_, *queue_, true);
    EXPECT_EQ(not_yet, inbox_.peer_left_at());
    inbox_.peer_leaves(7);
    EXPECT_EQ(7u, inbox_.peer_left_at()) << "told or not";
    inbox_.tell_departure(self_, true);
    EXPECT_EQ(0, taken());
    EXPECT_EQ(1u, queue_->departed.size());
    EXPECT_EQ(event_data | event_peer_closed, inbox_.take());
}

TEST_F(end_inbox_test, unless_there_is_other_news)
{
    inbox_.attach(self_, *queue_, true);
    inbox_.peer_leaves(7);
    inbox_.tell(self_, event_credit);
    inbox_.tell_departure(self_, true);
    EXPECT_EQ(1, taken());
    EXPECT_EQ(event_data | event_peer_closed | event_credit, inbox_.take());
    EXPECT_TRUE(queue_->departed.empty());
}

TEST_F(end_inbox_test, or_a_message_that_no_lane_shows)
{
    inbox_.attach(self_, *queue_, false);
    inbox_.peer_leaves(7);
    inbox_.tell_departure(self_, false);
    EXPECT_EQ(1, taken());
    EXPECT_TRUE(queue_->departed.empty());
}

TEST_F(end_inbox_test, a_departure_before_the_end_had_an_owner_is_one_too)
{
    inbox_.peer_leaves(7);
    inbox_.tell_departure(self_, true);
    inbox_.attach(self_, *queue_, true);
    EXPECT_EQ(1u, queue_->departed.size());
}

TEST_F(end_inbox_test, an_end_that_closes_stays_while_it_is_queued)
{
    inbox_.attach(self_, *queue_, true);
    inbox_.tell(self_, event_data);
    EXPECT_TRUE(inbox_.close());
    EXPECT_EQ(1, taken());
    inbox_.tell(self_, event_data);
    EXPECT_EQ(0, taken()) << "a closed end is not queued again";
}

TEST_F(end_inbox_test, an_end_that_nobody_has_told_anything_closes_at_once)
{
    inbox_.attach(self_, *queue_, true);
    EXPECT_FALSE(inbox_.close());
}

TEST_F(end_inbox_test, nor_does_an_end_without_an_owner_wait)
{
    inbox_.tell(self_, event_data);
    EXPECT_FALSE(inbox_.close());
}

}  // namespace
}  // namespace zlink::pipe::test
