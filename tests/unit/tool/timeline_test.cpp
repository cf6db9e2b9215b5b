// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pure/timeline.hpp"

#include <gtest/gtest.h>
#include <numeric>

using zlink::tool::timeline;

TEST(timeline_test, messages_are_counted_in_their_steps)
{
    timeline times(100, 10);
    times.add(0);
    times.add(99);
    times.add(250, 5);
    EXPECT_EQ(times.counts(), (std::vector<std::uint64_t>{2, 0, 5}));
    EXPECT_EQ(times.step_ns(), 100U);
}

TEST(timeline_test, steps_double_when_there_would_be_too_many)
{
    timeline times(100, 4);
    for (std::uint64_t at = 0; at < 400; at += 100) {
        times.add(at, at + 1);
    }
    times.add(400);
    EXPECT_EQ(times.step_ns(), 200U);
    EXPECT_EQ(times.counts(), (std::vector<std::uint64_t>{102, 502, 1}));
}

TEST(timeline_test, however_late_a_message_comes_none_is_lost)
{
    timeline times(1, 5);
    std::uint64_t added = 0;
    for (std::uint64_t at = 1; at < (std::uint64_t{1} << 60); at *= 7) {
        times.add(at);
        ++added;
        EXPECT_LE(times.counts().size(), 5U);
        EXPECT_EQ(std::accumulate(times.counts().begin(), times.counts().end(), std::uint64_t{0}), added);
    }
}
