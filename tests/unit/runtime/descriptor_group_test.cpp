// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/descriptor_group.hpp"

#include "runtime/signal_descriptor.hpp"

#include <gtest/gtest.h>

#include <poll.h>

namespace zlink::runtime {
namespace {

bool readable(int fd)
{
    pollfd p{fd, POLLIN, 0};
    return ::poll(&p, 1, 0) == 1;
}

TEST(descriptor_group_test, is_readable_while_one_of_its_descriptors_is)
{
    descriptor_group group;
    ASSERT_TRUE(group.open());
    signal_descriptor one, two;
    ASSERT_TRUE(one.open() && two.open());
    EXPECT_TRUE(group.add(one.get()));
    EXPECT_TRUE(group.add(two.get()));
    EXPECT_TRUE(group.add(two.get()));
    EXPECT_FALSE(readable(group.descriptor()));
    two.raise();
    EXPECT_TRUE(readable(group.descriptor()));
    EXPECT_TRUE(two.take());
    EXPECT_FALSE(readable(group.descriptor()));
    one.raise();
    group.remove(one.get());
    group.remove(one.get());
    EXPECT_FALSE(readable(group.descriptor()));
}

TEST(descriptor_group_test, a_descriptor_that_is_closed_leaves_and_one_that_is_none_is_refused)
{
    descriptor_group group;
    ASSERT_TRUE(group.open());
    EXPECT_FALSE(group.add(-1));
    signal_descriptor one;
    ASSERT_TRUE(one.open());
    EXPECT_TRUE(group.add(one.get()));
    one.raise();
    one.close();
    EXPECT_FALSE(readable(group.descriptor()));
}

}  // namespace
}  // namespace zlink::runtime
