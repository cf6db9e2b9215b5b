// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A thread that finds input at too few of its connections leaves reading to the I/O threads, for longer each time.
#include "load/sparse_reads.hpp"

#include <gtest/gtest.h>

namespace zlink::load {
namespace {

namespace limit = limits::lease;

class sparse_reads_test : public testing::Test {
protected:
    /// Rounds until it is left to the I/O threads; 0: never, in a thousand.
    unsigned rounds_until_sparse(connections_read each)
    {
        for (unsigned n = 1; n <= 1000; ++n) {
            if (rule_.note(each)) return n;
        }
        return 0;
    }
    /// Rounds that are left to the I/O threads now.
    unsigned rounds_left()
    {
        unsigned n = 0;
        while (rule_.leave_round()) ++n;
        return n;
    }

    sparse_reads rule_;
};

constexpr connections_read sparse{limit::most_connections, 0};
constexpr connections_read dense{limit::most_connections, limit::most_connections / 2};

TEST_F(sparse_reads_test, reads_itself_at_first)
{
    EXPECT_FALSE(rule_.leave_round());
}

TEST_F(sparse_reads_test, a_few_connections_are_always_read)
{
    EXPECT_EQ(0u, rounds_until_sparse({limit::polled_for_one_found, 0}));
}

TEST_F(sparse_reads_test, many_are_read_while_enough_have_input)
{
    EXPECT_EQ(0u, rounds_until_sparse(dense));
    EXPECT_EQ(0u, rounds_left());
}

TEST_F(sparse_reads_test, a_single_round_in_vain_does_not_count)
{
    for (int i = 0; i < 100; ++i) {
        EXPECT_FALSE(rule_.note(sparse));
        EXPECT_FALSE(rule_.note(dense));
    }
}

TEST_F(sparse_reads_test, are_left_for_twice_as_long_each_time)
{
    for (unsigned expected = limit::first_sparse_rounds; expected < limit::longest_sparse_rounds; expected *= 2) {
        ASSERT_LT(1u, rounds_until_sparse(sparse));
        EXPECT_EQ(expected, rounds_left());
    }
    for (int i = 0; i < 2; ++i) {
        ASSERT_LT(1u, rounds_until_sparse(sparse));
        EXPECT_EQ(limit::longest_sparse_rounds, rounds_left());
    }
}

TEST_F(sparse_reads_test, are_left_for_a_short_time_again_once_reading_has_paid_for_long)
{
    for (int i = 0; i < 3; ++i) {
        ASSERT_LT(0u, rounds_until_sparse(sparse));
        (void)rounds_left();
    }
    for (unsigned i = 0; i < limit::first_sparse_rounds; ++i) ASSERT_FALSE(rule_.note(dense));
    ASSERT_LT(0u, rounds_until_sparse(sparse));
    EXPECT_EQ(limit::first_sparse_rounds, rounds_left());
}

TEST(connections_read_test, is_the_difference_of_two_counts)
{
    const connections_read d = connections_read{10, 4} - connections_read{7, 3};
    EXPECT_EQ(3u, d.all);
    EXPECT_EQ(1u, d.found);
}

}  // namespace
}  // namespace zlink::load
