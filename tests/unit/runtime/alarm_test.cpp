// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The alarm rings in time, and is set as seldom as that takes.
#include "runtime/alarm.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/timerfd.h>

#include <chrono>

namespace zlink::runtime {
namespace {

using namespace std::chrono_literals;

class alarm_test : public testing::Test {
protected:
    alarm_test() { EXPECT_TRUE(alarm_.open()); }

    /// Until it rings; 0: it is set to nothing.
    std::chrono::nanoseconds left()
    {
        itimerspec is{};
        EXPECT_EQ(0, ::timerfd_gettime(alarm_.descriptor(), &is));
        return std::chrono::seconds(is.it_value.tv_sec) + std::chrono::nanoseconds(is.it_value.tv_nsec);
    }
    bool rings_within(std::chrono::milliseconds limit)
    {
        pollfd p{alarm_.descriptor(), POLLIN, 0};
        return ::poll(&p, 1, int(limit.count())) == 1;
    }

    alarm alarm_;
    const clock::time_point now_ = clock::now();
};

TEST_F(alarm_test, is_set_to_nothing_at_first)
{
    EXPECT_EQ(0ns, left());
    EXPECT_FALSE(rings_within(0ms));
}

TEST_F(alarm_test, rings_at_its_deadline)
{
    alarm_.set(now_ + 5ms, now_);
    EXPECT_TRUE(rings_within(20s));
    EXPECT_GE(clock::now(), now_ + 5ms);
}

TEST_F(alarm_test, an_earlier_deadline_counts_and_a_later_one_does_not)
{
    alarm_.set(now_ + 2h, now_);
    EXPECT_GT(left(), 1h);
    alarm_.set(now_ + 1h, now_);
    EXPECT_LE(left(), 1h);
    alarm_.set(now_ + 3h, now_);
    EXPECT_LE(left(), 1h) << "it comes too early, and is left";
}

TEST_F(alarm_test, is_set_anew_once_its_deadline_is_over)
{
    alarm_.set(now_ + 1h, now_);
    alarm_.set(now_ + 3h, now_ + 2h);
    EXPECT_GT(left(), 2h);
}

}  // namespace
}  // namespace zlink::runtime
