// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// To wake a loop costs a system call only if it sleeps, and only once a sleep.
#include "runtime/interrupter.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>

namespace zlink::runtime {
namespace {

class interrupter_test : public testing::Test {
protected:
    interrupter_test() { EXPECT_TRUE(interrupter_.open()); }

    /// How often the descriptor was written to since the last call.
    std::uint64_t writes()
    {
        std::uint64_t count = 0;
        return ::read(interrupter_.descriptor(), &count, sizeof count) == ssize_t(sizeof count) ? count : 0;
    }

    interrupter interrupter_;
};

TEST_F(interrupter_test, a_loop_at_work_is_not_interrupted)
{
    EXPECT_TRUE(interrupter_.awake());
    interrupter_.wake();
    EXPECT_EQ(0u, writes());
}

TEST_F(interrupter_test, a_sleep_is_interrupted_once)
{
    for (int sleep = 0; sleep < 3; ++sleep) {
        interrupter_.fall_asleep();
        EXPECT_FALSE(interrupter_.awake());
        interrupter_.wake();
        interrupter_.wake();
        EXPECT_TRUE(interrupter_.awake());
        EXPECT_EQ(1u, writes());
    }
}

TEST_F(interrupter_test, a_loop_that_found_news_before_it_slept_is_not_interrupted)
{
    interrupter_.fall_asleep();
    interrupter_.stay_awake();
    interrupter_.wake();
    EXPECT_EQ(0u, writes());
}

}  // namespace
}  // namespace zlink::runtime
