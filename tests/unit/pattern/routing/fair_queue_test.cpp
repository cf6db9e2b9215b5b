// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Messages are taken from pipes in turn, whole.
#include "pattern/routing/fair_queue.hpp"

#include "unit/pattern/routing/loose_pipes.hpp"

namespace zlink::pattern::routing::test {
namespace {

class fair_queue_test : public ::testing::Test, protected fair_queue::owner {
protected:
    fair_queue_test() : queue_(*this) {}

    loose_pipe& add()
    {
        pipes_.push_back(std::make_unique<loose_pipe>());
        EXPECT_TRUE(queue_.attach(pipes_.back()->near()));
        return *pipes_.back();
    }

    // All frames that are there, in the queue's order.
    parts take()
    {
        parts frames;
        pipe::incoming f;
        while (pipe::pipe_end* end = queue_.next(f)) {
            frames.emplace_back(reinterpret_cast<const char*>(f.data), f.size);
            queue_.pop(*end, f);
        }
        return frames;
    }

    void on_drained(pipe::pipe_end& end) override { drained_.push_back(&end); }

    std::vector<std::unique_ptr<loose_pipe>> pipes_;
    std::vector<pipe::pipe_end*> drained_;
    fair_queue queue_;
};

TEST_F(fair_queue_test, has_nothing_without_pipes)
{
    EXPECT_FALSE(queue_.readable());
    EXPECT_EQ(queue_.sole(), nullptr);
}

TEST_F(fair_queue_test, goes_round)
{
    loose_pipe& a = add();
    loose_pipe& b = add();
    for (const char* body : {"a1", "a2", "a3"}) a.send({body});
    for (const char* body : {"b1", "b2"}) b.send({body});
    EXPECT_EQ(take(), (parts{"a1", "b1", "a2", "b2", "a3"}));
}

TEST_F(fair_queue_test, keeps_a_message_together)
{
    loose_pipe& a = add();
    loose_pipe& b = add();
    a.send({"a1", "a2"});
    a.send({"a3"});
    b.send({"b1", "b2"});
    EXPECT_EQ(take(), (parts{"a1", "a2", "b1", "b2", "a3"}));
}

TEST_F(fair_queue_test, shows_a_frame_until_it_is_taken_and_skips_whole_messages)
{
    loose_pipe& a = add();
    a.send({"1", "2", "3"});
    a.send({"4"});
    pipe::incoming f;
    EXPECT_EQ(queue_.next(f), &a.near());
    EXPECT_EQ(queue_.next(f), &a.near());
    queue_.skip(a.near(), f);
    EXPECT_EQ(take(), (parts{"4"}));
}

TEST_F(fair_queue_test, a_dormant_pipe_counts_again_once_its_writer_speaks)
{
    loose_pipe& a = add();
    EXPECT_FALSE(queue_.readable());
    queue_.make_dormant();
    EXPECT_FALSE(queue_.has_active());
    a.send({"m"});
    EXPECT_FALSE(queue_.readable());
    queue_.activate(a.near());
    EXPECT_EQ(take(), (parts{"m"}));
}

TEST_F(fair_queue_test, a_pipe_whose_peer_is_gone_leaves_when_it_is_empty)
{
    loose_pipe& a = add();
    loose_pipe& b = add();
    a.send({"last"});
    a.close_far();
    queue_.peer_closed(a.near());
    EXPECT_TRUE(drained_.empty());
    EXPECT_EQ(take(), (parts{"last"}));
    EXPECT_EQ(drained_, (std::vector{&a.near()}));
    EXPECT_FALSE(queue_.contains(a.near()));
    EXPECT_EQ(queue_.sole(), &b.near());
}

TEST_F(fair_queue_test, a_pipe_whose_end_nobody_has_told_of_waits_for_that)
{
    loose_pipe& a = add();
    loose_pipe& b = add();
    a.close_far();
    EXPECT_FALSE(queue_.readable());
    EXPECT_TRUE(drained_.empty());
    b.send({"m"});
    EXPECT_EQ(take(), (parts{"m"}));
    queue_.peer_closed(a.near());
    EXPECT_EQ(drained_, (std::vector{&a.near()}));
}

// Thousands may have left: none waits for the one look that finds all of them empty.
TEST_F(fair_queue_test, a_pipe_whose_peer_is_gone_leaves_with_its_last_message)
{
    for (int i = 0; i < 100; ++i) add().send({"last"});
    for (const auto& pipe : pipes_) {
        pipe->close_far();
        queue_.peer_closed(pipe->near());
    }
    for (std::size_t i = 0; i < 100; ++i) {
        EXPECT_EQ(drained_.size(), i);
        pipe::incoming f;
        pipe::pipe_end* const end = queue_.next(f);
        ASSERT_NE(end, nullptr);
        queue_.pop(*end, f);
    }
    EXPECT_EQ(drained_.size(), 100u);
}

TEST_F(fair_queue_test, a_look_may_end_behind_some_that_nobody_has_told_of)
{
    fair_queue queue(*this, 10);
    for (int i = 0; i < 25; ++i) EXPECT_TRUE(queue.attach(pipes_.emplace_back(std::make_unique<loose_pipe>())->near()));
    loose_pipe& stays = *pipes_[12];
    for (const auto& pipe : pipes_) pipe.get() == &stays ? stays.send({"m"}) : pipe->close_far();
    int looks = 1;
    for (; !queue.readable(); ++looks) ASSERT_LT(looks, 3);
    EXPECT_EQ(looks, 2);
    for (const auto& pipe : pipes_) {
        if (pipe.get() != &stays) queue.peer_closed(pipe->near());
    }
    EXPECT_EQ(drained_.size(), 24u);
    EXPECT_TRUE(queue.readable());
}

TEST_F(fair_queue_test, forgets_what_is_removed)
{
    loose_pipe& a = add();
    a.send({"m"});
    queue_.remove(a.near());
    queue_.remove(a.near());
    EXPECT_FALSE(queue_.readable());
    EXPECT_FALSE(queue_.contains(a.near()));
}

}  // namespace
}  // namespace zlink::pattern::routing::test
