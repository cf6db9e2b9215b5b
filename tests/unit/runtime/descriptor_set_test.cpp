// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A set of descriptors and what waits to be told of them, without a loop.
#include "runtime/descriptor_set.hpp"

#include "eventfd_handler.hpp"
#include "runtime/events.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <cerrno>
#include <vector>

namespace zlink::runtime::test {
namespace {

class descriptor_set_test : public testing::Test {
protected:
    descriptor_set_test()
    {
        EXPECT_TRUE(set_.open());
        EXPECT_TRUE(set_.add(one_.fd(), one_));
    }

    [[nodiscard]] bool readable() const
    {
        pollfd p{set_.descriptor(), POLLIN, 0};
        return ::poll(&p, 1, 0) == 1;
    }
    int pass_on_batch()
    {
        int passed = 0;
        for (; set_.any_in_batch(); ++passed) set_.pass_on();
        return passed;
    }

    descriptor_set set_;
    eventfd_handler one_, two_;
};

TEST_F(descriptor_set_test, reports_what_was_asked_for_and_once)
{
    one_.raise();
    EXPECT_FALSE(set_.poll()) << "it has no interest yet";
    set_.arm(one_.fd(), one_, events::readable);
    EXPECT_TRUE(readable());
    EXPECT_TRUE(set_.poll());
    EXPECT_EQ(1, pass_on_batch());
    EXPECT_EQ(1, one_.told);
    EXPECT_EQ(events::readable, one_.last_events);
    EXPECT_FALSE(set_.poll());
}

TEST_F(descriptor_set_test, refuses_a_descriptor_that_is_none)
{
    EXPECT_EQ(from_errno(EBADF), set_.add(-1, two_).error());
}

TEST_F(descriptor_set_test, what_has_left_is_not_reported)
{
    ASSERT_TRUE(set_.add(two_.fd(), two_));
    for (eventfd_handler* h : {&one_, &two_}) {
        set_.arm(h->fd(), *h, events::readable);
        h->raise();
    }
    EXPECT_TRUE(set_.poll());
    EXPECT_TRUE(set_.remove(one_.fd()));
    EXPECT_FALSE(set_.remove(one_.fd()));
    set_.forget(one_);
    EXPECT_EQ(2, pass_on_batch());
    EXPECT_EQ(0, one_.told);
    EXPECT_EQ(1, two_.told);
}

TEST_F(descriptor_set_test, requeued_handlers_are_told_first_and_once)
{
    ASSERT_TRUE(set_.add(two_.fd(), two_));
    set_.arm(two_.fd(), two_, events::readable);
    two_.raise();
    EXPECT_TRUE(set_.poll());
    EXPECT_TRUE(set_.requeue(one_));
    EXPECT_FALSE(set_.requeue(one_));
    EXPECT_TRUE(set_.any_requeued());
    EXPECT_FALSE(set_.any_requeued_in_batch());
    set_.begin_batch();
    set_.pass_on();
    EXPECT_EQ(1, one_.told);
    EXPECT_EQ(0, two_.told);
    EXPECT_EQ(1, pass_on_batch());
    EXPECT_EQ(1, two_.told);
}

TEST_F(descriptor_set_test, a_handler_waits_in_one_set_at_a_time)
{
    descriptor_set other;
    EXPECT_TRUE(set_.requeue(one_));
    EXPECT_FALSE(other.requeue(one_));
    other.forget(one_);
    EXPECT_TRUE(set_.any_requeued());
    set_.forget(one_);
    EXPECT_FALSE(set_.any_requeued());
    EXPECT_TRUE(other.requeue(one_));
    other.forget(one_);
}

TEST_F(descriptor_set_test, a_set_inside_is_reported_for_as_long_as_it_is_ready)
{
    descriptor_set inner;
    eventfd_handler of_inner;
    ASSERT_TRUE(inner.open());
    ASSERT_TRUE(inner.add(two_.fd(), two_));
    ASSERT_TRUE(set_.add(inner, of_inner));
    inner.arm(two_.fd(), two_, events::readable);
    two_.raise();
    for (int poll = 1; poll <= 2; ++poll) {
        EXPECT_TRUE(set_.poll());
        EXPECT_EQ(1, pass_on_batch());
        EXPECT_EQ(poll, of_inner.told);
    }
    EXPECT_TRUE(inner.poll());
    EXPECT_FALSE(set_.poll());
    inner.forget(two_);
}

TEST_F(descriptor_set_test, a_wake_up_ends_a_sleep_each_time_and_is_no_report)
{
    ASSERT_TRUE(set_.add_wake_up(two_.fd()));
    EXPECT_TRUE(set_.add_wake_up(two_.fd())) << "it is there already";
    for (int time = 0; time < 2; ++time) {
        two_.raise();
        EXPECT_TRUE(readable());
        EXPECT_FALSE(set_.sleep());
        EXPECT_FALSE(readable());
    }
    EXPECT_FALSE(set_.add_wake_up(-1));
}

}  // namespace
}  // namespace zlink::runtime::test
