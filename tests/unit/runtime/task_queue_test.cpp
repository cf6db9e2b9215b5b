// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Tasks run in the order in which they were pushed, a batch at a time.
#include "runtime/task_queue.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace zlink::runtime {
namespace {

struct noting final : task {
    noting(std::vector<int>& order, int number) : order_(order), number_(number) {}
    void run() noexcept override
    {
        order_.push_back(number_);
        if (action) action();
    }
    std::function<void()> action;

private:
    std::vector<int>& order_;
    int number_;
};

class task_queue_test : public testing::Test {
protected:
    void run_batch()
    {
        while (queue_.any_in_batch()) queue_.run_next();
    }

    task_queue queue_;
    std::vector<int> order_;
    noting first_{order_, 1}, second_{order_, 2}, third_{order_, 3};
};

TEST_F(task_queue_test, has_no_batch_without_a_task)
{
    EXPECT_FALSE(queue_.any());
    EXPECT_FALSE(queue_.posted_before_sleep());
    EXPECT_FALSE(queue_.begin_batch());
    EXPECT_FALSE(queue_.any_in_batch());
}

TEST_F(task_queue_test, runs_the_oldest_first)
{
    queue_.push(first_);
    queue_.push(second_);
    queue_.push(third_);
    EXPECT_TRUE(queue_.posted());
    EXPECT_TRUE(queue_.posted_before_sleep());
    ASSERT_TRUE(queue_.begin_batch());
    EXPECT_FALSE(queue_.posted());
    EXPECT_TRUE(queue_.any());
    run_batch();
    EXPECT_EQ((std::vector<int>{1, 2, 3}), order_);
    EXPECT_FALSE(queue_.any());
}

TEST_F(task_queue_test, what_is_pushed_during_a_batch_is_in_the_next_one)
{
    first_.action = [this] {
        if (order_.size() == 1) queue_.push(first_);
    };
    queue_.push(first_);
    queue_.push(second_);
    ASSERT_TRUE(queue_.begin_batch());
    queue_.run_next();
    EXPECT_TRUE(queue_.posted());
    EXPECT_TRUE(queue_.begin_batch()) << "the batch goes on";
    run_batch();
    EXPECT_EQ((std::vector<int>{1, 2}), order_);
    ASSERT_TRUE(queue_.begin_batch());
    run_batch();
    EXPECT_EQ((std::vector<int>{1, 2, 1}), order_);
    EXPECT_FALSE(queue_.begin_batch());
}

TEST_F(task_queue_test, a_task_may_be_destroyed_while_it_runs)
{
    auto* const brief = new noting(order_, 4);
    brief->action = [brief] { delete brief; };
    queue_.push(*brief);
    queue_.push(second_);
    ASSERT_TRUE(queue_.begin_batch());
    queue_.run_next();
    ASSERT_TRUE(queue_.any_in_batch());
    queue_.run_next();
    EXPECT_EQ((std::vector<int>{4, 2}), order_);
}

}  // namespace
}  // namespace zlink::runtime
