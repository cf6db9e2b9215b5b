// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The descriptor of ZMQ_FD: raised once until it is taken in.
#include "socket/wake_descriptor.hpp"

#include <gtest/gtest.h>

#include <poll.h>

namespace zlink::socket {
namespace {

bool readable(const wake_descriptor& d)
{
    pollfd p{d.get(), POLLIN, 0};
    return ::poll(&p, 1, 0) == 1;
}

TEST(wake_descriptor_test, does_nothing_before_it_is_made)
{
    wake_descriptor d;
    EXPECT_FALSE(d.exists());
    EXPECT_EQ(-1, d.get());
    EXPECT_FALSE(d.begin_raise());
    EXPECT_TRUE(d.take_in());
}

TEST(wake_descriptor_test, is_raised_once_until_it_is_taken_in)
{
    wake_descriptor d;
    ASSERT_TRUE(d.open());
    EXPECT_TRUE(d.exists());
    EXPECT_FALSE(readable(d));
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(d.begin_raise());
        EXPECT_FALSE(d.begin_raise()) << "another thread raises it";
        d.raise();
        EXPECT_TRUE(readable(d));
        EXPECT_TRUE(d.take_in());
        EXPECT_FALSE(readable(d));
        EXPECT_TRUE(d.take_in()) << "there is nothing to take in";
    }
}

TEST(wake_descriptor_test, cannot_be_taken_in_between_the_two_steps_of_its_writer)
{
    wake_descriptor d;
    ASSERT_TRUE(d.open());
    ASSERT_TRUE(d.begin_raise());
    EXPECT_FALSE(d.take_in());
    d.raise();
    EXPECT_TRUE(d.take_in());
}

TEST(wake_descriptor_test, once_closed_is_not_raised)
{
    wake_descriptor d;
    ASSERT_TRUE(d.open());
    d.close();
    EXPECT_FALSE(d.exists());
    EXPECT_FALSE(d.begin_raise());
}

}  // namespace
}  // namespace zlink::socket
