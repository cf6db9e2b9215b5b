// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Which side pays for a lane's fences, by the messages between sleeps. (That the lane tells its writer:
// pipe/lane_fences_test.cpp.)
#include "load/fence_learning.hpp"

#include <gtest/gtest.h>

namespace zlink::load {
namespace {

using change = fence_learning::change;
namespace limit = limits::fences;

class fence_learning_test : public testing::Test {
protected:
    change sleep_after(std::uint64_t messages) { return rule_.sleeps(read_ += messages); }
    void learn()
    {
        for (int i = 1; i < limit::short_runs_to_learn; ++i) EXPECT_EQ(change::none, sleep_after(1));
        EXPECT_EQ(change::use, sleep_after(1));
    }

    fence_learning rule_;
    std::uint64_t read_ = 0;
};

TEST_F(fence_learning_test, what_is_few)
{
    struct row {
        std::uint64_t messages;
        bool learns;
    };
    for (const row& r : {row{0, true},
                         {1, true},
                         {limit::few_between_sleeps - 1, true},
                         {limit::few_between_sleeps, false},
                         {100'000, false}}) {
        rule_ = {};
        read_ = 0;
        int uses = 0;
        for (int i = 0; i < 20; ++i) uses += sleep_after(r.messages) == change::use;
        EXPECT_EQ(r.learns ? 1 : 0, uses) << r.messages;
    }
}

TEST_F(fence_learning_test, the_sleep_that_learns_shows_it_by_a_heavy_fence)
{
    learn();
    EXPECT_FALSE(rule_.full_fence_does());
    EXPECT_EQ(change::none, sleep_after(1));
    EXPECT_TRUE(rule_.full_fence_does());
}

TEST_F(fence_learning_test, a_long_run_unlearns_and_begins_the_count_again)
{
    learn();
    (void)rule_.full_fence_does();
    EXPECT_EQ(change::spare, sleep_after(limit::few_between_sleeps));
    EXPECT_FALSE(rule_.full_fence_does());
    learn();
    EXPECT_FALSE(rule_.full_fence_does()) << "it has to be shown anew";
}

TEST_F(fence_learning_test, so_does_a_stream_that_does_not_sleep)
{
    learn();
    EXPECT_EQ(change::none, rule_.reads_on(read_ + limit::few_between_sleeps - 1));
    EXPECT_EQ(change::spare, rule_.reads_on(read_ + limit::few_between_sleeps));
    EXPECT_EQ(change::none, rule_.reads_on(read_ + 1000));
}

TEST_F(fence_learning_test, what_was_asked_for_stays)
{
    rule_.always();
    EXPECT_FALSE(rule_.full_fence_does());
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(change::none, sleep_after(i % 2 == 0 ? 1 : 1000));
        EXPECT_TRUE(rule_.full_fence_does());
        EXPECT_EQ(change::none, rule_.reads_on(read_ + 1000));
    }
}

}  // namespace
}  // namespace zlink::load
