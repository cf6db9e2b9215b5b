// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The time that threads may spend in writes of their own to one I/O thread's connections. The times are made up.
#include "load/own_write_budget.hpp"

#include <gtest/gtest.h>

namespace zlink::load {
namespace {

using namespace std::chrono_literals;
namespace limit = limits::own_writes;

class own_write_budget_test : public testing::Test {
protected:
    /// Writes of so long, one behind the other, until no more are allowed.
    int writes(std::chrono::microseconds each)
    {
        int count = 0;
        for (; budget_.allows(now_) && count < 1000; ++count) budget_.spend(now_ += each, each);
        return count;
    }

    own_write_budget budget_;
    own_write_budget::time_point now_{1s};
};

TEST_F(own_write_budget_test, a_burst_of_some_writes_is_allowed_whoever_makes_them)
{
    const int all = writes(5us);
    EXPECT_LE(limit::most_allowance / 5us, all);
    EXPECT_GE(2 * limit::most_allowance / 5us, all);
}

TEST_F(own_write_budget_test, then_a_part_of_the_time)
{
    (void)writes(5us);
    int more = 0;
    for (const auto end = now_ + 80ms; now_ < end; now_ += 10us) more += writes(5us);
    EXPECT_NEAR(80ms / (limit::part_of_pauses * 5us), more, more / 10);
}

TEST_F(own_write_budget_test, a_rest_earns_a_burst_and_no_more)
{
    const int first = writes(5us);
    now_ += 1s;
    EXPECT_NEAR(first, writes(5us), 1);
    now_ += limit::part_of_pauses * limit::most_allowance / 2;
    EXPECT_NEAR(first / 2, writes(5us), 2);
}

}  // namespace
}  // namespace zlink::load
