// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pure/latency_histogram.hpp"

#include <gtest/gtest.h>

using zlink::tool::latency_histogram;

TEST(latency_histogram_test, without_values_everything_is_zero)
{
    const latency_histogram empty;
    EXPECT_EQ(empty.count(), 0U);
    EXPECT_EQ(empty.min(), 0U);
    EXPECT_EQ(empty.max(), 0U);
    EXPECT_EQ(empty.percentile(0.99), 0U);
    EXPECT_EQ(empty.mean(), 0.0);
    EXPECT_TRUE(empty.bars_of_1_2_5().empty());
    EXPECT_TRUE(empty.bars_of_decade(10).empty());
}

TEST(latency_histogram_test, small_values_are_exact)
{
    latency_histogram some;
    for (std::uint64_t value = 1; value <= 100; ++value) {
        some.add(value);
    }
    EXPECT_EQ(some.percentile(0.5), 50U);
    EXPECT_EQ(some.percentile(0.99), 99U);
    EXPECT_EQ(some.percentile(0), 1U);
    EXPECT_EQ(some.percentile(1), 100U);
    EXPECT_EQ(some.mean(), 50.5);
}

TEST(latency_histogram_test, a_value_is_read_back_at_most_a_128th_too_large)
{
    for (std::uint64_t value = 1; value < (std::uint64_t{1} << 60); value = value * 3 + 1) {
        latency_histogram one;
        one.add(value);
        one.add(~std::uint64_t{0});
        const auto found = one.percentile(0.5);
        EXPECT_GE(found, value);
        EXPECT_LE(found - value, value / 128);
    }
}

TEST(latency_histogram_test, the_smallest_and_the_largest_numbers_have_buckets)
{
    latency_histogram both;
    both.add(0);
    both.add(~std::uint64_t{0});
    EXPECT_EQ(both.percentile(0.5), 0U);
    EXPECT_EQ(both.percentile(1), ~std::uint64_t{0});
}

TEST(latency_histogram_test, bars_hold_every_value_once)
{
    latency_histogram some;
    for (std::uint64_t value = 700; value < 90'000'000; value = value * 11 / 10) {
        some.add(value);
    }
    for (const auto& bars : {some.bars_of_1_2_5(), some.bars_of_decade(1), some.bars_of_decade(40)}) {
        std::uint64_t sum = 0;
        for (std::size_t at = 0; at < bars.size(); ++at) {
            sum += bars[at].count;
            EXPECT_LT(bars[at].from, bars[at].until);
            EXPECT_TRUE(at == 0 || bars[at].from == bars[at - 1].until);
        }
        EXPECT_EQ(sum, some.count());
        EXPECT_GT(bars.front().count, 0U);
        EXPECT_GT(bars.back().count, 0U);
    }
}

TEST(latency_histogram_test, bars_of_1_2_5_begin_at_round_numbers)
{
    latency_histogram some;
    some.add(3'000);
    some.add(15'000);
    const auto bars = some.bars_of_1_2_5();
    ASSERT_EQ(bars.size(), 3U);
    EXPECT_EQ(bars[0].from, 2'000U);
    EXPECT_EQ(bars[1].count, 0U);
    EXPECT_EQ(bars[2].until, 20'000U);
}
