// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Batches in quick succession are worth being looked after, single ones are not.
#include "load/hold_watch.hpp"

#include <gtest/gtest.h>

namespace zlink::load {
namespace {

using namespace std::chrono_literals;
using limits::holds::several;

class hold_watch_test : public testing::Test {
protected:
    /// A batch that nobody looks after yet, so long after the last one.
    bool held_after(std::chrono::microseconds pause) { return watch_.pays(false, now_ += pause); }
    /// Others while somebody looks.
    void come(int batches)
    {
        for (int i = 0; i < batches; ++i) EXPECT_TRUE(watch_.pays(true, now_ += 10us));
    }
    void come_alone()
    {
        for (int i = 0; i < several; ++i) (void)held_after(8ms);
        ASSERT_FALSE(held_after(8ms));
    }

    hold_watch watch_;
    std::chrono::steady_clock::time_point now_{1s};
};

TEST_F(hold_watch_test, batches_are_held_while_several_come_between_two_absences)
{
    for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(held_after(20ms)) << i;
        come(several - 1);
    }
}

TEST_F(hold_watch_test, single_batches_are_left)
{
    for (int i = 0; i < several; ++i) EXPECT_TRUE(held_after(8ms)) << i;
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(held_after(8ms)) << i;
}

// Each piece is answered by a batch, and somebody looks until the burst is over.
TEST_F(hold_watch_test, bursts_that_arrive_in_pieces_are_left)
{
    for (int i = 0; i < several; ++i) {
        EXPECT_TRUE(held_after(8ms)) << i;
        come(2);
    }
    for (int i = 0; i < 100; ++i) {
        for (const auto pause : {8'000us, 50us, 100us}) EXPECT_FALSE(held_after(pause)) << i;
    }
}

TEST_F(hold_watch_test, batches_in_quick_succession_are_held_again)
{
    come_alone();
    for (int i = 0; i < several - 1; ++i) EXPECT_FALSE(held_after(1'300us)) << i;
    EXPECT_TRUE(held_after(1'999us));
    come(several);
    EXPECT_TRUE(held_after(20ms));
}

TEST_F(hold_watch_test, a_pause_in_between_begins_the_count_anew)
{
    come_alone();
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(held_after(i % several == 0 ? 2'000us : 10us)) << i;
}

}  // namespace
}  // namespace zlink::load
