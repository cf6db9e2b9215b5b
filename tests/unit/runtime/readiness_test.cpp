// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Looks at descriptors that do not wait, and the descriptor that other threads make readable.
#include "runtime/readiness.hpp"

#include "runtime/signal_descriptor.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include <poll.h>

namespace zlink::runtime {
namespace {

class readiness_test : public testing::Test {
protected:
    readiness_test()
    {
        EXPECT_TRUE(one_.open());
        EXPECT_TRUE(other_.open());
    }

    signal_descriptor one_;
    signal_descriptor other_;
};

TEST_F(readiness_test, a_look_tells_which_are_ready)
{
    pollfd fds[] = {{one_.get(), POLLIN, 0}, {other_.get(), POLLIN, 0}};
    EXPECT_EQ(0, poll_now(fds, 2).value());
    other_.raise();
    EXPECT_EQ(1, poll_now(fds, 2).value());
    EXPECT_EQ(0, fds[0].revents);
    EXPECT_EQ(POLLIN, fds[1].revents);
    one_.raise();
    EXPECT_EQ(2, poll_now(fds, 2).value());
}

TEST_F(readiness_test, a_look_at_nothing_finds_nothing)
{
    EXPECT_EQ(0, poll_now(nullptr, 0).value());
}

TEST_F(readiness_test, a_look_finds_a_descriptor_that_is_closed)
{
    pollfd fd{1 << 20, POLLIN, 0};
    EXPECT_EQ(1, poll_now(&fd, 1).value());
    EXPECT_EQ(POLLNVAL, fd.revents);
}

TEST_F(readiness_test, a_set_is_silent_until_one_of_its_descriptors_has_input)
{
    readiness_set set;
    EXPECT_FALSE(set);
    ASSERT_TRUE(set.open());
    EXPECT_TRUE(set);
    EXPECT_TRUE(set.nothing_ready());
    ASSERT_TRUE(set.add(one_.get()));
    ASSERT_TRUE(set.add(other_.get()));
    EXPECT_TRUE(set.nothing_ready());
    other_.raise();
    EXPECT_FALSE(set.nothing_ready());
    EXPECT_FALSE(set.nothing_ready()) << "a look takes nothing";
    EXPECT_TRUE(other_.take());
    EXPECT_TRUE(set.nothing_ready());
}

TEST_F(readiness_test, a_descriptor_that_is_closed_leaves_its_set)
{
    readiness_set set;
    ASSERT_TRUE(set.open());
    ASSERT_TRUE(set.add(one_.get()));
    one_.raise();
    one_.close();
    EXPECT_TRUE(set.nothing_ready());
    EXPECT_FALSE(set.add(-1));
}

TEST(signal_descriptor_test, is_readable_from_a_raise_to_the_take)
{
    signal_descriptor d;
    ASSERT_TRUE(d.open());
    EXPECT_FALSE(d.take());
    d.raise();
    d.raise();
    EXPECT_TRUE(d.take());
    EXPECT_FALSE(d.take()) << "both are taken";
}

TEST(signal_descriptor_test, is_another_one_after_it_was_opened_again)
{
    signal_descriptor d;
    EXPECT_EQ(-1, d.get());
    ASSERT_TRUE(d.open());
    d.raise();
    ASSERT_TRUE(d.open());
    EXPECT_FALSE(d.take());
    d.close();
    EXPECT_EQ(-1, d.get());
    d.close();
    EXPECT_FALSE(d.take());
}

}  // namespace
}  // namespace zlink::runtime
