// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// When yields turn out to be other programs' time, and yielding ends for a while. The times are made up.
#include "load/core_contention.hpp"

#include <gtest/gtest.h>

namespace zlink::load {
namespace {

using namespace std::chrono_literals;
using duration = core_contention::duration;
using time_point = core_contention::time_point;

struct core_contention_rule_test : testing::Test {
    core_contention contention;
    time_point now{1h};

    // A yield as runtime/yield_spin.hpp makes it, which begins now.
    void yield(duration took, duration own)
    {
        const bool measured = contention.measures(now);
        now += took;
        if (took <= limits::yielding::long_yield) return;
        contention.suspect(now);
        if (measured) contention.measured(now, took, own);
    }

    // Next to a stranger that computes without end: most yields find one of our threads, each third the stranger.
    duration until_crowded()
    {
        const time_point start = now;
        while (!contention.contended(now) && now - start < 1s) {
            yield(60us, 60us);
            yield(60us, 60us);
            yield(4ms, 80us);
        }
        return now - start;
    }
};

TEST_F(core_contention_rule_test, nobody_is_suspected_at_first)
{
    EXPECT_FALSE(contention.contended(now));
    EXPECT_FALSE(contention.measures(now));
}

TEST_F(core_contention_rule_test, a_stranger_is_found_though_most_yields_are_short)
{
    EXPECT_LT(until_crowded(), 30ms);
    EXPECT_TRUE(contention.contended(now + limits::core_contention::pause - 1us));
    EXPECT_FALSE(contention.contended(now + limits::core_contention::pause));
}

TEST_F(core_contention_rule_test, yielding_is_tried_again_and_measured_at_once)
{
    (void)until_crowded();
    now += limits::core_contention::pause;
    EXPECT_TRUE(contention.measures(now));
    EXPECT_LT(until_crowded(), 20ms);
}

TEST_F(core_contention_rule_test, a_stranger_that_stays_costs_a_few_percent)
{
    duration lost{};
    const time_point start = now;
    while (now - start < 10s) {
        lost += until_crowded();
        now += limits::core_contention::pause;
    }
    EXPECT_LT(lost, (now - start) / 20);
}

TEST_F(core_contention_rule_test, one_that_went_is_forgotten)
{
    (void)until_crowded();
    now += limits::core_contention::pause;
    for (int i = 0; i < 10'000; ++i) yield(60us, 60us);
    EXPECT_FALSE(contention.contended(now));
    EXPECT_FALSE(contention.measures(now));
}

TEST_F(core_contention_rule_test, where_asking_is_expensive_a_suspicion_is_enough)
{
    for (int i = 0; i < limits::core_contention::many_costly; ++i) contention.asked(now, 20us);
    EXPECT_FALSE(contention.contended(now));
    contention.suspect(now);
    EXPECT_TRUE(contention.contended(now));
    EXPECT_FALSE(contention.contended(now + limits::core_contention::suspicion));
    now += limits::core_contention::costly_for;
    contention.suspect(now);
    EXPECT_FALSE(contention.contended(now)) << "asking was costly too long ago";
}

TEST_F(core_contention_rule_test, asking_is_not_expensive_for_having_been_interrupted)
{
    for (int i = 0; i < 100; ++i) {
        contention.asked(now, i % limits::core_contention::many_costly == 0 ? 1us : 20us);
        contention.suspect(now);
        ASSERT_FALSE(contention.contended(now));
    }
}

// As among few threads on a busy host.
TEST_F(core_contention_rule_test, asking_is_not_expensive_for_being_slow_now_and_then)
{
    for (int i = 0; i < 100; ++i) {
        contention.asked(now, i % 10 == 0 ? 5us : 20us);
        contention.suspect(now);
        ASSERT_FALSE(contention.contended(now));
    }
}

TEST_F(core_contention_rule_test, a_suspicion_is_no_proof)
{
    for (int i = 0; i < limits::core_contention::many_costly; ++i) contention.asked(now, 20us);
    contention.suspect(now);
    EXPECT_TRUE(contention.contended(now));
    EXPECT_FALSE(contention.other_programs(now));
}

TEST_F(core_contention_rule_test, own_threads_may_use_the_time)
{
    for (int i = 0; i < 1000; ++i) {
        yield(4ms, 4ms);
        ASSERT_FALSE(contention.contended(now));
    }
}

TEST_F(core_contention_rule_test, a_peer_process_may_work_in_small_pieces)
{
    for (int i = 0; i < 1000; ++i) {
        yield(150us, 20us);
        ASSERT_FALSE(contention.contended(now));
    }
}

TEST_F(core_contention_rule_test, and_catch_up_now_and_then)
{
    for (int i = 0; i < 100; ++i) {
        for (int longer = 0; longer < 4; ++longer) yield(2ms, 100us);
        ASSERT_FALSE(contention.contended(now));
        for (int usual = 0; usual < 500; ++usual) yield(60us, 20us);
    }
}

TEST_F(core_contention_rule_test, small_losses_do_not_add_up)
{
    for (int i = 0; i < 1000; ++i) {
        yield(300us, 0us);
        for (int usual = 0; usual < 100; ++usual) yield(60us, 20us);
        ASSERT_FALSE(contention.contended(now));
    }
}

TEST_F(core_contention_rule_test, a_limit_to_our_processor_time_is_no_stranger)
{
    for (int period = 0; period < 100; ++period) {
        for (int usual = 0; usual < 1000; ++usual) yield(50us, 50us);
        yield(50ms, 0ms);
        yield(4ms, 0ms);  // somebody else had waited, too
        // Other threads that were stopped come back one by one.
        for (int thread = 1; thread < 8; ++thread) {
            now += 300us;
            contention.measured(now, 50ms, 0ms);
        }
        ASSERT_FALSE(contention.contended(now));
    }
}

TEST_F(core_contention_rule_test, ten_strangers_are_found_too)
{
    for (int i = 0; i < 4; ++i) {
        yield(60us, 60us);
        yield(40ms, 80us);
    }
    EXPECT_TRUE(contention.contended(now));
}

TEST_F(core_contention_rule_test, what_threads_lose_together_counts_once)
{
    contention.suspect(now);
    now += 4ms;
    for (int thread = 0; thread < 8; ++thread) contention.measured(now + thread * 1us, 4ms, 0ms);
    EXPECT_FALSE(contention.contended(now + 10us));
}

}  // namespace
}  // namespace zlink::load
