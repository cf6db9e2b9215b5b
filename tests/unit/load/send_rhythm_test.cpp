// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether a thread sends several messages at a time or one by one.
#include "load/send_rhythm.hpp"

#include <gtest/gtest.h>

namespace zlink::load {
namespace {

using namespace std::chrono_literals;

class send_rhythm_test : public testing::Test {
protected:
    /// The first of `count` messages, of which the first takes `write` to be written.
    bool burst(int count, std::chrono::microseconds write = 1us, bool after_input = false)
    {
        const bool begins = rhythm_.begins_burst(now_, ++written_, after_input);
        now_ += write;
        rhythm_.wrote(now_);
        for (int i = 1; i < count; ++i) {
            now_ += 1us;
            EXPECT_FALSE(rhythm_.begins_burst(now_, ++written_, false));
        }
        return begins;
    }
    void pause(std::chrono::microseconds length) { now_ += length; }

    send_rhythm rhythm_;
    send_rhythm::time_point now_{1s};
    std::uint64_t written_ = 0;
};

TEST_F(send_rhythm_test, several_at_a_time_are_learnt)
{
    for (int i = 0; i < 6; ++i, pause(100us)) {
        EXPECT_TRUE(burst(10));
        EXPECT_EQ(i >= 4, rhythm_.expects_burst()) << i;
    }
    EXPECT_TRUE(burst(1));
    EXPECT_TRUE(rhythm_.expects_burst());
    pause(100us);
    EXPECT_TRUE(burst(1));
    EXPECT_FALSE(rhythm_.expects_burst()) << "there was one alone";
}

TEST_F(send_rhythm_test, the_time_a_write_takes_is_no_pause)
{
    for (int i = 0; i < 5; ++i, pause(100us)) EXPECT_TRUE(burst(10, 60us));
    EXPECT_TRUE(rhythm_.expects_burst());
}

TEST_F(send_rhythm_test, one_by_one_is_no_burst_however_quick)
{
    for (int i = 0; i < 100; ++i, pause(i % 7 == 0 ? 30us : 5us)) {
        EXPECT_TRUE(burst(1, 2us, true));
        EXPECT_FALSE(rhythm_.expects_burst());
    }
}

}  // namespace
}  // namespace zlink::load
