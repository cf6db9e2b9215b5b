// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A woken thread that lets others go first: for whom, and when no more.
#include "load/wakeup_coalescing.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace zlink::load {
namespace {

using namespace std::chrono_literals;

// Time as the test tells it.
struct thread_that_wakes {
    explicit thread_that_wakes(bool enabled = true) : gather(enabled) {}

    wakeup_coalescing gather;
    wakeup_coalescing::time_point now{std::chrono::hours(1)};
    wakeup_coalescing::duration yield_takes = 1us;

    /// Woken, and finds `count`. True: it has yielded before.
    bool wake(int count)
    {
        now += 100us;
        const bool yields = gather.woken(now);
        if (yields) {
            now += yield_takes;
            gather.yielded(now, yield_takes);
        }
        gather.found(count);
        return yields;
    }

    int yields_of(int wakes, int count)
    {
        int yields = 0;
        for (int i = 0; i < wakes; ++i) yields += wake(count);
        return yields;
    }
};

TEST(wakeup_coalescing_test, who_serves_one_peer_is_never_held_up)
{
    thread_that_wakes t;
    EXPECT_EQ(0, t.yields_of(10'000, 1));
}

TEST(wakeup_coalescing_test, who_finds_several_learns_to_yield)
{
    thread_that_wakes t;
    EXPECT_LT(t.yields_of(100, 4), 100);
    EXPECT_EQ(100, t.yields_of(100, 4));
}

TEST(wakeup_coalescing_test, and_stops_when_they_are_gone)
{
    thread_that_wakes t;
    (void)t.yields_of(100, limits::wakeup_coalescing::most_counted);
    (void)t.yields_of(100, 1);
    EXPECT_EQ(0, t.yields_of(100, 1));
}

TEST(wakeup_coalescing_test, a_crowd_does_not_speak_for_hundreds_of_wake_ups)
{
    thread_that_wakes t;
    (void)t.yields_of(10, 1);
    (void)t.wake(1'000'000);
    EXPECT_LE(t.yields_of(1'000, 1), 50);
}

TEST(wakeup_coalescing_test, what_it_is_woken_for_besides_tells_nothing)
{
    thread_that_wakes t;
    (void)t.yields_of(100, 4);
    EXPECT_EQ(1'000, t.yields_of(1'000, 0));
    EXPECT_TRUE(t.wake(4));
}

TEST(wakeup_coalescing_test, later_looks_do_not_count)
{
    thread_that_wakes t;
    for (int i = 0; i < 100; ++i) {
        EXPECT_FALSE(t.wake(1));
        t.gather.found(10);
        t.gather.found(10);
    }
}

TEST(wakeup_coalescing_test, where_a_stranger_computes_it_pauses)
{
    thread_that_wakes t;
    t.yield_takes = 4ms;
    EXPECT_LE(t.yields_of(1'000, 8), 5);
    t.now += limits::wakeup_coalescing::pause;
    t.yield_takes = 10us;
    EXPECT_EQ(100, t.yields_of(100, 8));
}

TEST(wakeup_coalescing_test, a_long_yield_now_and_then_is_a_backlog)
{
    thread_that_wakes t;
    (void)t.yields_of(100, 8);
    for (int i = 0; i < 100; ++i) {
        t.yield_takes = 4ms;
        EXPECT_TRUE(t.wake(8));
        t.yield_takes = 50us;
        EXPECT_EQ(50, t.yields_of(50, 8));
    }
}

TEST(wakeup_coalescing_test, switched_off_it_never_yields)
{
    thread_that_wakes t(false);
    EXPECT_EQ(0, t.yields_of(1'000, 10));
}

}  // namespace
}  // namespace zlink::load
