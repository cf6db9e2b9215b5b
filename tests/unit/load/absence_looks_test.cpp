// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// When an I/O thread takes over from an application that has left something for later. The times are made up.
#include "load/absence_looks.hpp"

#include <gtest/gtest.h>

namespace zlink::load {
namespace {

using namespace std::chrono_literals;
namespace limit = limits::looks;

constexpr std::chrono::microseconds allowed = 1ms;

class absence_looks_test : public testing::Test {
protected:
    absence_looks_test() { looks_.begin(now_); }

    struct look {
        bool writes;
        bool gone;
    };
    /// After the time to the next one. "found": the lane had messages, if it looks at all.
    look next(look_facts f, bool found = true)
    {
        now_ += looks_.next(f.holds_watched, allowed);
        const bool writes = looks_.takes_held(f, now_);
        return {writes, looks_.gone(f, writes && found, allowed, now_)};
    }

    absence_looks looks_;
    absence_looks::time_point now_{1s};
};

constexpr look_facts holds{.holds_watched = true, .holds = true};
constexpr look_facts held_and_left{.holds_watched = true};
constexpr look_facts parks{.parks = true};
constexpr look_facts parked_and_left{};

TEST_F(absence_looks_test, what_is_held_is_written_at_the_first_look_that_finds_nobody)
{
    const auto start = now_;
    EXPECT_TRUE(next(held_and_left).writes);
    EXPECT_EQ(limit::first, now_ - start);
}

TEST_F(absence_looks_test, looks_become_rarer_while_the_sender_comes)
{
    for (const auto time : {200us, 400us, 800us, 800us, 800us}) {
        EXPECT_EQ(time, looks_.next(true, allowed));
        const look l = next(holds);
        EXPECT_FALSE(l.writes);
        EXPECT_FALSE(l.gone);
    }
    EXPECT_TRUE(next(held_and_left).writes) << "late by two looks at most";
    EXPECT_EQ(limit::first, looks_.next(true, allowed)) << "who has been found away is looked for soon again";
}

TEST_F(absence_looks_test, a_regular_is_looked_for_some_times_more)
{
    for (int i = 0; i < 10; ++i) (void)next(holds);
    int looks = 0;
    while (!next(held_and_left, false).gone) ASSERT_GT(100, ++looks);
    EXPECT_EQ(limit::for_regulars - 1, looks);
}

TEST_F(absence_looks_test, a_parked_token_is_taken_after_the_time_that_was_allowed)
{
    for (int i = 0; i < 10; ++i) EXPECT_FALSE(next(parks).gone);
    EXPECT_EQ(allowed, looks_.next(false, allowed));
    const look l = next(parked_and_left);
    EXPECT_FALSE(l.writes);
    EXPECT_TRUE(l.gone);
}

TEST_F(absence_looks_test, how_late_a_held_message_was_is_counted)
{
    const count_of before = total(rule::look_wrote);
    (void)next(held_and_left);
    (void)next(held_and_left, false);
    EXPECT_EQ(before.times + 1, total(rule::look_wrote).times);
    EXPECT_EQ(before.waited + limit::first, total(rule::look_wrote).waited);
}

}  // namespace
}  // namespace zlink::load
