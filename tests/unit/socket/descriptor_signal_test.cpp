// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a call leaves behind at the descriptor of ZMQ_FD: a signal if it has changed something, or has taken in news.
#include "socket/descriptor_signal.hpp"

#include <gtest/gtest.h>

#include <poll.h>

namespace zlink::socket {
namespace {

class descriptor_signal_test : public testing::Test {
protected:
    ~descriptor_signal_test() override { box_.release(); }

    [[nodiscard]] bool readable()
    {
        pollfd p{box_.descriptor(), POLLIN, 0};
        return ::poll(&p, 1, 0) == 1;
    }
    void take_in()
    {
        box_.acknowledge();
        (void)box_.take_commands();
    }

    mailbox& box_ = *new mailbox;
};

TEST_F(descriptor_signal_test, is_not_left_by_a_call_that_changes_nothing)
{
    ASSERT_FALSE(readable());
    {
        const descriptor_signal signal(box_);
    }
    EXPECT_FALSE(readable());
}

TEST_F(descriptor_signal_test, is_left_at_the_end_of_a_call_that_changes_something)
{
    ASSERT_FALSE(readable());
    {
        descriptor_signal signal(box_);
        signal.changes();
        EXPECT_FALSE(readable()) << "not before its end";
    }
    EXPECT_TRUE(readable());
}

TEST_F(descriptor_signal_test, is_left_if_the_call_takes_in_news)
{
    ASSERT_FALSE(readable());
    ASSERT_EQ(errc::none, box_.post({command::kind::ended, nullptr, {}, 1}));
    ASSERT_TRUE(readable());
    {
        const descriptor_signal signal(box_);
        take_in();
        EXPECT_FALSE(readable());
    }
    EXPECT_TRUE(readable()) << "the program looks again";
}

TEST_F(descriptor_signal_test, is_not_left_if_nobody_has_asked_for_the_descriptor)
{
    {
        descriptor_signal signal(box_);
        signal.changes();
    }
    EXPECT_FALSE(box_.pending()) << "no later call has to look";
    EXPECT_FALSE(box_.has_descriptor());
}

}  // namespace
}  // namespace zlink::socket
