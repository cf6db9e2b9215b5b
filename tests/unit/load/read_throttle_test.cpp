// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// When a connection rests from reading large messages.
#include "load/read_throttle.hpp"

#include <gtest/gtest.h>

namespace zlink::load {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t many = limits::read_throttle::always_held + 1;

class read_throttle_test : public testing::Test {
protected:
    bool wants_pause(std::uint64_t unread, std::uint64_t taken)
    {
        return send_pacing_.wants_pause(unread, taken, [this] { return much_in_use_; }, [this] { return now_; });
    }

    read_throttle send_pacing_;
    read_throttle::time_point now_{1s};
    bool much_in_use_ = true;
};

TEST_F(read_throttle_test, reads_on_while_little_is_held)
{
    much_in_use_ = false;
    EXPECT_FALSE(wants_pause(many, 1));
    much_in_use_ = true;
    EXPECT_FALSE(wants_pause(limits::read_throttle::always_held, 1));
    EXPECT_TRUE(wants_pause(many, 1));
}

TEST_F(read_throttle_test, rests_as_long_as_the_application_takes_messages)
{
    for (std::uint64_t taken = 1; taken < 10; ++taken) {
        EXPECT_TRUE(wants_pause(many, taken));
        now_ += limits::read_throttle::longest_pause * 9 / 10;
        EXPECT_TRUE(wants_pause(many, taken));
    }
}

TEST_F(read_throttle_test, reads_on_for_an_application_that_takes_none)
{
    EXPECT_FALSE(wants_pause(many, 0));
    EXPECT_TRUE(wants_pause(many, 1));
    now_ += limits::read_throttle::longest_pause;
    for (int i = 0; i < 10; ++i) EXPECT_FALSE(wants_pause(many, 1));
    EXPECT_TRUE(wants_pause(many, 2));
}

TEST_F(read_throttle_test, a_rest_is_counted_when_it_ends)
{
    const count_of before = total(rule::read_pause);
    EXPECT_TRUE(wants_pause(many, 1));
    now_ += 100us;
    EXPECT_TRUE(wants_pause(many, 2));
    EXPECT_EQ(before.times, total(rule::read_pause).times);
    now_ += 100us;
    EXPECT_FALSE(wants_pause(1, 3));
    EXPECT_FALSE(wants_pause(1, 3));
    EXPECT_EQ(before.times + 1, total(rule::read_pause).times);
    EXPECT_EQ(before.waited + 200us, total(rule::read_pause).waited);
}

}  // namespace
}  // namespace zlink::load
