// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A woken thread yields before it reads, in series, while that brings more messages a wake-up.
#include "load/gathering.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace zlink::load {
namespace {

namespace limit = limits::gathering;

class gathering_test : public testing::Test {
protected:
    /// Wake-ups that bring `messages` each, until the rule yields; `most`: it did not.
    unsigned until_yields(std::uint64_t messages, unsigned most)
    {
        unsigned n = 0;
        for (; n < most && !rule_.yields(); ++n) rule_.read(messages);
        return n;
    }
    /// Yields in a row that bring `messages` each, `most` at most.
    unsigned yields_in_row(std::uint64_t messages, unsigned most)
    {
        unsigned n = 0;
        for (; n < most && rule_.yields(); ++n) rule_.read_after_yield(messages, std::chrono::microseconds(10));
        return n;
    }

    gathering rule_;
};

constexpr unsigned many = 100 * limit::longest_wait;

TEST_F(gathering_test, begins_without_yields)
{
    EXPECT_FALSE(rule_.yields());
    EXPECT_EQ(limit::first_wait, until_yields(1, many));
}

TEST_F(gathering_test, goes_on_while_yields_bring_more)
{
    until_yields(1, many);
    EXPECT_EQ(limit::series_in_row * limit::series, yields_in_row(2, many));
}

TEST_F(gathering_test, measures_anew_after_many_series)
{
    until_yields(1, many);
    yields_in_row(2, many);
    EXPECT_EQ(limit::first_wait, until_yields(2, many));
    EXPECT_EQ(limit::series, yields_in_row(2, many));
}

TEST_F(gathering_test, a_lone_request_is_tried_seldomer_each_time)
{
    unsigned expected = limit::first_wait;
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(expected, until_yields(1, many));
        EXPECT_EQ(limit::series, yields_in_row(1, many));
        expected = expected < limit::longest_wait ? 2 * expected : limit::longest_wait;
    }
}

TEST_F(gathering_test, a_flood_is_tried_seldomer_too)
{
    until_yields(50, many);
    EXPECT_EQ(limit::series, yields_in_row(60, many));
    EXPECT_EQ(2 * limit::first_wait, until_yields(50, many));
}

TEST_F(gathering_test, the_first_yields_of_a_series_tell_nothing)
{
    until_yields(1, many);
    EXPECT_EQ(limit::series - limit::judged, yields_in_row(1, limit::series - limit::judged));
    EXPECT_EQ(limit::judged, yields_in_row(4, limit::judged));
    EXPECT_TRUE(rule_.yields());
}

TEST_F(gathering_test, success_brings_the_first_wait_back)
{
    for (int i = 0; i < 5; ++i) {
        until_yields(1, many);
        yields_in_row(1, many);
    }
    until_yields(1, many);
    yields_in_row(4, limit::series);
    EXPECT_EQ(limit::series, yields_in_row(1, many));
    EXPECT_EQ(2 * limit::first_wait, until_yields(1, many));
}

TEST_F(gathering_test, what_is_read_without_a_yield_amid_a_series_changes_nothing)
{
    until_yields(1, many);
    for (int i = 0; i < 10; ++i) rule_.read(1);
    EXPECT_EQ(2 * limit::series, yields_in_row(2, 2 * limit::series));
}

}  // namespace
}  // namespace zlink::load
