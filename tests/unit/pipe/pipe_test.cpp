// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Pipes: which side is told of what, when, and how ends come to an end.
#include "lane_fixture.hpp"
#include "pipe/pipe.hpp"

namespace zlink::pipe::test {
namespace {

class counting_queue final : public activation_queue {
public:
    int wakes = 0;

    ~counting_queue() override { ++destroyed; }

    static inline int destroyed = 0;

private:
    void wake() noexcept override { ++wakes; }
};

class pipe_test : public testing::Test {
protected:
    pipe_test() : here_(new counting_queue), there_(new counting_queue)
    {
        counting_queue::destroyed = 0;
        pipe* p = pipe::create({2, 3, 8192});
        a_ = &p->first();
        b_ = &p->second();
    }
    ~pipe_test() override
    {
        const bool a_open = !a_->closed(), b_open = !b_->closed();  // the last to close frees both
        if (a_open) a_->close();
        if (b_open) b_->close();
        for (counting_queue* q : {here_, there_}) {
            for (pipe_end* end = q->take_all(); end;) {
                pipe_end* const after = end->next_in_queue;
                end->discard();
                end = after;
            }
        }
        here_->release();
        there_->release();
        EXPECT_EQ(2, counting_queue::destroyed);
    }

    void attach()
    {
        a_->attach(*here_);
        b_->attach(*there_);
    }

    static void put(pipe_end& end, std::string_view text)
    {
        ASSERT_TRUE(end.writer.write({bytes(text), text.size(), false}));
        end.publish();
    }

    static std::string take(pipe_end& end)
    {
        incoming f;
        if (!end.reader.next(f)) return "(nothing)";
        std::string body = text(f.data, f.size);
        end.pop(f);
        return body;
    }

    // The events of the only end in the queue; 0 if it is empty.
    static std::uint32_t events(counting_queue& queue, pipe_end& expected)
    {
        pipe_end* end = queue.take_all();
        if (!end) return 0;
        EXPECT_EQ(&expected, end);
        EXPECT_EQ(nullptr, end->next_in_queue);
        return end->take_events();
    }

    counting_queue* here_;
    counting_queue* there_;
    pipe_end* a_;
    pipe_end* b_;
};

TEST_F(pipe_test, joins_two_ends_both_ways)
{
    attach();
    EXPECT_EQ(b_, &a_->peer());
    EXPECT_EQ(a_, &b_->peer());
    EXPECT_EQ(&a_->parent(), &b_->parent());
    EXPECT_EQ(2u, a_->writer.hwm());
    EXPECT_EQ(3u, b_->writer.hwm());
    put(*a_, "to b");
    put(*b_, "to a");
    EXPECT_EQ("to b", take(*b_));
    EXPECT_EQ("to a", take(*a_));
    EXPECT_EQ(nullptr, here_->take_all());
    EXPECT_EQ(nullptr, there_->take_all());
}

TEST_F(pipe_test, a_dormant_reader_is_told_once)
{
    attach();
    b_->reader.go_dormant();
    put(*a_, "1");
    EXPECT_EQ(1, there_->wakes);
    put(*a_, "2");
    EXPECT_EQ(1, there_->wakes);
    EXPECT_TRUE(events(*there_, *b_) & event_data);
    EXPECT_EQ(0u, events(*there_, *b_));
    EXPECT_FALSE(b_->reader.dormant());
    EXPECT_EQ("1", take(*b_));
    EXPECT_EQ("2", take(*b_));
}

TEST_F(pipe_test, a_waiting_writer_is_told_of_room)
{
    attach();
    put(*a_, "1");
    put(*a_, "2");
    EXPECT_FALSE(a_->writer.has_room_or_wait());
    EXPECT_EQ("1", take(*b_));
    EXPECT_EQ(event_credit, events(*here_, *a_));
    EXPECT_TRUE(a_->writer.has_room());
    EXPECT_EQ("2", take(*b_));
    EXPECT_EQ(0u, events(*here_, *a_));
}

TEST_F(pipe_test, events_add_up_while_the_end_waits_in_its_queue)
{
    attach();
    a_->notify(event_hwm);
    a_->notify(event_token);
    a_->notify(event_hwm);
    EXPECT_EQ(1, here_->wakes);
    EXPECT_EQ(event_hwm | event_token, events(*here_, *a_));
    a_->notify(event_credit);
    EXPECT_EQ(2, here_->wakes);
    EXPECT_EQ(event_credit, events(*here_, *a_));
}

TEST_F(pipe_test, what_was_told_before_the_attachment_comes_with_it)
{
    b_->reader.go_dormant();
    put(*a_, "early");
    EXPECT_EQ(0, there_->wakes);
    attach();
    EXPECT_EQ(1, there_->wakes);
    EXPECT_TRUE(events(*there_, *b_) & event_data);
    EXPECT_EQ(0, here_->wakes);
    EXPECT_EQ("early", take(*b_));
}

TEST_F(pipe_test, an_end_that_closes_leaves_what_it_wrote)
{
    attach();
    put(*a_, "last");
    EXPECT_EQ(pipe_end::closing::done, a_->close());
    EXPECT_TRUE(events(*there_, *b_) & event_peer_closed);
    EXPECT_FALSE(b_->reader.closed());
    EXPECT_EQ("last", take(*b_));
    EXPECT_EQ("(nothing)", take(*b_));
    EXPECT_TRUE(b_->reader.closed());
}

TEST_F(pipe_test, an_end_in_its_queue_is_discarded_when_it_comes_out)
{
    attach();
    a_->notify(event_data);
    EXPECT_EQ(pipe_end::closing::in_queue, a_->close());
    a_->notify(event_data);
    EXPECT_EQ(1, here_->wakes);
    pipe_end* end = here_->take_all();
    ASSERT_EQ(a_, end);
    EXPECT_TRUE(end->closed());
    end->discard();
}

TEST_F(pipe_test, writing_to_an_end_that_closed_does_no_harm)
{
    attach();
    b_->reader.go_dormant();
    b_->close();
    put(*a_, "in vain");
    put(*a_, "in vain");
    EXPECT_EQ(event_data | event_peer_closed, events(*here_, *a_));
}

TEST_F(pipe_test, both_may_close_unattached)
{
    put(*a_, "never read");
    a_->close();
    b_->close();
    a_ = &pipe::create({0, 0, 8192})->first();  // for the fixture to close
    b_ = &a_->peer();
    attach();
}

TEST(activation_queue_test, gives_ends_in_the_order_they_came)
{
    auto* queue = new counting_queue;
    std::vector<pipe_end*> ends;
    for (int i = 0; i < 5; ++i) ends.push_back(&pipe::create({0, 0, 8192})->first());
    EXPECT_TRUE(queue->empty());
    for (pipe_end* end : ends) end->attach(*queue);
    for (int i : {3, 1, 4, 0, 2}) ends[std::size_t(i)]->notify(event_data);
    EXPECT_FALSE(queue->empty());
    pipe_end* end = queue->take_all();
    for (int i : {3, 1, 4, 0, 2}) {
        ASSERT_EQ(ends[std::size_t(i)], end);
        EXPECT_EQ(event_data, end->take_events());
        end = end->next_in_queue;
    }
    EXPECT_EQ(nullptr, end);
    EXPECT_TRUE(queue->empty());
    for (pipe_end* e : ends) {
        e->peer().close();
        e->close();
    }
    for (end = queue->take_all(); end;) {
        pipe_end* const after = end->next_in_queue;
        end->discard();
        end = after;
    }
    queue->release();
}

}  // namespace
}  // namespace zlink::pipe::test
