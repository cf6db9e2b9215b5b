// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How closely sleeps follow each other, with a made-up clock.
#include "runtime/sleep_pace.hpp"

#include <gtest/gtest.h>

namespace zlink::runtime {
namespace {

TEST(sleep_pace_test, is_rested_at_first_and_after_a_while)
{
    sleep_pace p;
    EXPECT_EQ(pace::rested, p.next(0));
    EXPECT_EQ(pace::steady, p.next(0));
    EXPECT_EQ(pace::steady, p.next(sleep_pace::rest_ms - 1));
    EXPECT_EQ(pace::rested, p.next(2 * sleep_pace::rest_ms - 1));
}

TEST(sleep_pace_test, hurries_with_many_sleeps_in_a_tick)
{
    sleep_pace p;
    for (std::uint32_t n = 0; n <= sleep_pace::many; ++n) EXPECT_NE(pace::hurried, p.next(100)) << n;
    EXPECT_EQ(pace::hurried, p.next(100));
    // So it goes on in the next tick, and not in the one behind a tick with few.
    EXPECT_EQ(pace::hurried, p.next(101));
    EXPECT_EQ(pace::hurried, p.next(101));
    EXPECT_EQ(pace::steady, p.next(102));
}

TEST(sleep_pace_test, of_the_next_thread_is_rested)
{
    sleep_pace p;
    for (std::uint32_t n = 0; n <= sleep_pace::many + 1; ++n) (void)p.next(100);
    p.begin();
    EXPECT_EQ(pace::rested, p.next(100));
    EXPECT_EQ(pace::steady, p.next(100));
}

}  // namespace
}  // namespace zlink::runtime
