// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zmq_atomic_counter_*(): the values returned, and that no count is lost between threads.
#include "zmq.h"

#include <array>
#include <atomic>
#include <climits>
#include <gtest/gtest.h>
#include <thread>

namespace {

class atomic_counter_test : public testing::Test {
protected:
    void SetUp() override { ASSERT_NE(counter_, nullptr); }
    ~atomic_counter_test() override { zmq_atomic_counter_destroy(&counter_); }

    void* counter_ = zmq_atomic_counter_new();
};

TEST_F(atomic_counter_test, starts_at_0)
{
    EXPECT_EQ(zmq_atomic_counter_value(counter_), 0);
}

TEST_F(atomic_counter_test, incrementing_returns_the_value_before)
{
    EXPECT_EQ(zmq_atomic_counter_inc(counter_), 0);
    EXPECT_EQ(zmq_atomic_counter_inc(counter_), 1);
    EXPECT_EQ(zmq_atomic_counter_value(counter_), 2);
}

TEST_F(atomic_counter_test, decrementing_returns_whether_something_is_left)
{
    zmq_atomic_counter_set(counter_, 2);
    EXPECT_EQ(zmq_atomic_counter_dec(counter_), 1);
    EXPECT_EQ(zmq_atomic_counter_value(counter_), 1);
    EXPECT_EQ(zmq_atomic_counter_dec(counter_), 0);
    EXPECT_EQ(zmq_atomic_counter_value(counter_), 0);
}

TEST_F(atomic_counter_test, holds_any_int)
{
    for (const int value : {INT_MIN, -1, INT_MAX}) {
        zmq_atomic_counter_set(counter_, value);
        EXPECT_EQ(zmq_atomic_counter_value(counter_), value);
    }
}

TEST_F(atomic_counter_test, exactly_one_of_many_threads_sees_it_reach_0)
{
    constexpr int threads = 4;
    constexpr int rounds = 2000;
    zmq_atomic_counter_set(counter_, threads * rounds);
    std::atomic<int> reached{0};
    {
        std::array<std::jthread, threads> workers;
        for (auto& worker : workers) {
            worker = std::jthread([&] {
                for (int i = 0; i < rounds; ++i) {
                    reached += zmq_atomic_counter_dec(counter_) == 0 ? 1 : 0;
                }
            });
        }
    }
    EXPECT_EQ(reached, 1);
    EXPECT_EQ(zmq_atomic_counter_value(counter_), 0);
}

TEST_F(atomic_counter_test, loses_no_increment_between_threads)
{
    constexpr int threads = 4;
    constexpr int rounds = 2000;
    {
        std::array<std::jthread, threads> workers;
        for (auto& worker : workers) {
            worker = std::jthread([&] {
                for (int i = 0; i < rounds; ++i) {
                    zmq_atomic_counter_inc(counter_);
                }
            });
        }
    }
    EXPECT_EQ(zmq_atomic_counter_value(counter_), threads * rounds);
}

TEST(atomic_counter_handle_test, destroying_nullifies_it)
{
    void* counter = zmq_atomic_counter_new();
    zmq_atomic_counter_destroy(&counter);
    EXPECT_EQ(counter, nullptr);
    zmq_atomic_counter_destroy(&counter);
    zmq_atomic_counter_destroy(nullptr);
}

TEST(atomic_counter_handle_test, null_is_harmless)
{
    zmq_atomic_counter_set(nullptr, 1);
    EXPECT_EQ(zmq_atomic_counter_inc(nullptr), -1);
    EXPECT_EQ(zmq_atomic_counter_dec(nullptr), -1);
    EXPECT_EQ(zmq_atomic_counter_value(nullptr), -1);
    EXPECT_EQ(zmq_errno(), EFAULT);
}

}  // namespace
