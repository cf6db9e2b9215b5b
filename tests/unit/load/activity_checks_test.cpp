// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// When an I/O thread takes over from an application that has left something for later. The times are made up.
#include "load/activity_checks.hpp"

#include <gtest/gtest.h>

#include <set>

namespace zlink::load {
namespace {

using namespace std::chrono_literals;
namespace limit = limits::looks;

constexpr std::chrono::microseconds allowed = 1ms;

class activity_checks_test : public testing::Test {
protected:
    activity_checks_test() { looks_.begin(now_); }

    struct look {
        bool writes;
        bool gone;
        bool holds_no_more;
    };
    /// After the time to the next one. "found": the lane had messages, if it looks at all.
    look next(check_facts f, bool found = true)
    {
        now_ = looks_.next(now_, f.holds_watched, allowed);
        const bool writes = looks_.takes_held(f, now_);
        const check_verdict v = looks_.looked(f, writes && found, allowed, now_);
        return {writes, v == check_verdict::gone, v == check_verdict::holds_no_more};
    }
    /// The next look comes after so long, or at one of the points of its grid behind that.
    void expect_next_in(std::chrono::microseconds time, bool holds_watched)
    {
        const auto in = looks_.next(now_, holds_watched, allowed) - now_;
        EXPECT_LE(time, in);
        EXPECT_GE(holds_watched ? time + time / 4 : 2 * time, in);
    }

    activity_checks looks_;
    activity_checks::time_point now_{1s};
};

constexpr check_facts holds{.holds_watched = true, .holds = true};
constexpr check_facts held_and_left{.holds_watched = true};
constexpr check_facts parks{.parks = true, .parks_watched = true};
constexpr check_facts parked_and_left{.parks_watched = true};

TEST_F(activity_checks_test, what_is_held_is_written_at_the_first_look_that_finds_nobody)
{
    const auto start = now_;
    EXPECT_TRUE(next(held_and_left).writes);
    EXPECT_GE(limit::first * 5 / 4, now_ - start);
}

TEST_F(activity_checks_test, looks_become_rarer_while_the_sender_comes)
{
    for (const auto time : {200us, 400us, 800us, 800us, 800us}) {
        expect_next_in(time, true);
        const look l = next(holds);
        EXPECT_FALSE(l.writes);
        EXPECT_FALSE(l.gone);
    }
    EXPECT_TRUE(next(held_and_left).writes) << "late by two looks at most";
    expect_next_in(limit::first, true);  // a thread that has been found away is looked for soon again
}

TEST_F(activity_checks_test, a_regular_is_looked_for_some_times_more)
{
    for (int i = 0; i < 10; ++i) (void)next(holds);
    int looks = 0;
    while (!next(held_and_left, false).gone) ASSERT_GT(100, ++looks);
    EXPECT_EQ(limit::for_regulars - 1, looks);
}

TEST_F(activity_checks_test, who_has_never_come_back_is_no_regular)
{
    const look l = next(held_and_left);
    EXPECT_TRUE(l.writes);
    EXPECT_TRUE(l.gone);
}

TEST_F(activity_checks_test, who_has_parked_a_token_too_is_looked_for_until_that_is_taken)
{
    const check_facts left{.holds_watched = true, .parks_watched = true};
    EXPECT_TRUE(next(left).holds_no_more);
    EXPECT_TRUE(next(parked_and_left).gone);
}

TEST_F(activity_checks_test, a_parked_token_is_taken_after_the_time_that_was_allowed)
{
    for (int i = 0; i < 10; ++i) EXPECT_FALSE(next(parks).gone);
    expect_next_in(allowed, false);
    const look l = next(parked_and_left);
    EXPECT_FALSE(l.writes);
    EXPECT_TRUE(l.gone);
}

TEST_F(activity_checks_test, who_parks_but_holds_nothing_any_more_is_looked_at_less_often)
{
    for (int i = 0; i < 10; ++i) (void)next(holds);
    const check_facts parks_alone{.holds_watched = true, .parks = true, .parks_watched = true};
    const auto last_hold = now_;
    look l{};
    while (!l.holds_no_more) {
        ASSERT_GE(2 * limit::for_regulars * limit::longest, now_ - last_hold);
        l = next(parks_alone, false);
        EXPECT_FALSE(l.gone);
    }
    EXPECT_LE(limit::for_regulars * limit::longest, now_ - last_hold);
    EXPECT_FALSE(next(parks).gone);
}

TEST_F(activity_checks_test, looks_of_different_times_coincide)
{
    std::set<activity_checks::time_point> points;
    for (int i = 0; i < 64; ++i) {
        now_ += 7us;
        points.insert(activity_checks::in_step(now_, 5000us + i * 40us, 1));
    }
    EXPECT_GE(3U, points.size());
}

TEST_F(activity_checks_test, how_late_a_held_message_was_is_counted)
{
    const count_of before = total(rule::look_wrote);
    (void)next(held_and_left);
    (void)next(held_and_left, false);
    EXPECT_EQ(before.times + 1, total(rule::look_wrote).times);
    EXPECT_LE(before.waited + limit::first, total(rule::look_wrote).waited);
    EXPECT_GE(before.waited + limit::first * 5 / 4, total(rule::look_wrote).waited);
}

}  // namespace
}  // namespace zlink::load
