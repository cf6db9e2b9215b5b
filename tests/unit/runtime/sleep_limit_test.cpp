// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How long one system call may sleep, and times as it takes them.
#include "runtime/sleep_limit.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace zlink::runtime::sleep_limit {
namespace {

using namespace std::chrono_literals;

TEST(sleep_limit_test, a_sleep_without_a_deadline_has_a_limit_all_the_same)
{
    EXPECT_EQ(longest, left({}));
    EXPECT_EQ(longest, left(clock::now() + 100h));
}

TEST(sleep_limit_test, a_sleep_ends_at_its_deadline)
{
    const auto later = left(clock::now() + 10min);
    EXPECT_LT(0ns, later);
    EXPECT_GE(10min, later);
    EXPECT_GT(0ns, left(clock::now() - 1s)) << "it is over";
}

TEST(sleep_limit_test, a_time_for_the_kernel_has_seconds_and_the_rest)
{
    const timespec t = to_timespec(61s + 5ns);
    EXPECT_EQ(61, t.tv_sec);
    EXPECT_EQ(5, t.tv_nsec);
    const timespec almost = to_timespec(1s - 1ns);
    EXPECT_EQ(0, almost.tv_sec);
    EXPECT_EQ(999'999'999, almost.tv_nsec);
}

TEST(sleep_limit_test, a_time_that_is_over_is_no_time)
{
    const timespec t = to_timespec(-1ms);
    EXPECT_EQ(0, t.tv_sec);
    EXPECT_EQ(0, t.tv_nsec);
}

}  // namespace
}  // namespace zlink::runtime::sleep_limit
