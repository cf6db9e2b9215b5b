// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How long a sender waits for an I/O thread that is late. The times are made up.
#include "load/io_patience.hpp"

#include <gtest/gtest.h>

namespace zlink::load {
namespace {

using namespace std::chrono_literals;
namespace limit = limits::io_patience;

class io_patience_test : public testing::Test {
protected:
    /// Of a send that may wait for `timeout`, in which nothing happens.
    io_patience::duration in_vain(io_patience::duration timeout = 24h)
    {
        const auto took = rule_.allowed(now_, timeout);
        now_ += took;
        if (took != 0s) rule_.waited(now_, took, true);
        return took;
    }

    io_patience rule_;
    io_patience::time_point now_{1s};
};

TEST_F(io_patience_test, nobody_waits_who_may_not)
{
    EXPECT_EQ(0s, rule_.allowed(now_, 0s));
}

TEST_F(io_patience_test, a_wait_is_no_longer_than_the_send_may_take)
{
    EXPECT_EQ(3ms, rule_.allowed(now_, 3ms));
    EXPECT_EQ(limit::longest, rule_.allowed(now_, 1h));
}

TEST_F(io_patience_test, an_io_thread_that_goes_on_is_waited_for_each_time)
{
    for (int i = 0; i < 1000; ++i) {
        EXPECT_EQ(limit::longest, rule_.allowed(now_, 1h));
        rule_.waited(now_ += 90ms, 90ms, false);
    }
}

TEST_F(io_patience_test, one_that_does_not_is_waited_for_once)
{
    EXPECT_EQ(limit::longest, in_vain());
    io_patience::duration more{};
    for (int i = 0; i < 1000; ++i, now_ += 900us) more += in_vain();
    EXPECT_EQ(0s, more);
    now_ += limit::forgiven_after;
    EXPECT_EQ(limit::longest, in_vain());
}

TEST_F(io_patience_test, short_waits_in_vain_count_together)
{
    io_patience::duration sum{};
    for (int i = 0; i < 1000; ++i, now_ += 1ms) sum += in_vain(7ms);
    EXPECT_EQ(limit::longest, sum);
}

TEST_F(io_patience_test, is_counted)
{
    const count_of waits = total(rule::io_wait);
    const auto vain = total(rule::io_wait_in_vain).times;
    rule_.waited(now_, 5ms, false);
    rule_.waited(now_, 2ms, true);
    EXPECT_EQ(waits.times + 2, total(rule::io_wait).times);
    EXPECT_EQ(waits.waited + 7ms, total(rule::io_wait).waited);
    EXPECT_EQ(vain + 1, total(rule::io_wait_in_vain).times);
}

}  // namespace
}  // namespace zlink::load
