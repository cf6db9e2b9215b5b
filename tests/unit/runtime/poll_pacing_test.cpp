// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A loop polls its descriptors in a round that follows a report, in one that is due, and after some time of work.
#include "runtime/poll_pacing.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace zlink::runtime {
namespace {

using namespace std::chrono_literals;

class poll_pacing_test : public testing::Test {
protected:
    /// Polled at now_, and a round has found nothing to do.
    void fall_idle()
    {
        pacing_.note_poll(now_);
        pacing_.note_idle();
        pacing_.begin_round(false);
    }

    poll_pacing pacing_;
    const clock::time_point now_{1h};
};

TEST_F(poll_pacing_test, polls_at_first)
{
    pacing_.begin_round(false);
    EXPECT_FALSE(pacing_.may_skip(now_));
}

TEST_F(poll_pacing_test, skips_for_a_moment_behind_an_idle_round)
{
    fall_idle();
    EXPECT_TRUE(pacing_.may_skip(now_));
    EXPECT_TRUE(pacing_.may_skip(now_ + poll_pacing::longest_without - 1ns));
    EXPECT_FALSE(pacing_.may_skip(now_ + poll_pacing::longest_without));
    EXPECT_EQ(now_, pacing_.polled_at());
}

TEST_F(poll_pacing_test, polls_after_a_report)
{
    fall_idle();
    pacing_.note_reports();
    EXPECT_FALSE(pacing_.may_skip(now_));
}

TEST_F(poll_pacing_test, polls_in_a_round_with_tasks)
{
    fall_idle();
    pacing_.make_due();
    EXPECT_FALSE(pacing_.may_skip(now_));
    pacing_.begin_round(true);
    EXPECT_TRUE(pacing_.due());
    EXPECT_FALSE(pacing_.may_skip(now_));
    pacing_.begin_round(false);
    EXPECT_TRUE(pacing_.may_skip(now_));
}

TEST_F(poll_pacing_test, polls_once_in_many_rounds)
{
    fall_idle();
    int due = 0;
    for (unsigned round = 0; round < 3 * poll_pacing::rounds_between_polls; ++round) {
        pacing_.begin_round(false);
        due += pacing_.due();
        EXPECT_NE(pacing_.due(), pacing_.may_skip(now_));
    }
    EXPECT_EQ(3, due);
}

}  // namespace
}  // namespace zlink::runtime
