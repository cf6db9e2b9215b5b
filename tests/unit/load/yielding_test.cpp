// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether a thread yields before it sleeps: by how its last yields went. The times are made up.
#include "load/yielding.hpp"

#include <gtest/gtest.h>

namespace zlink::load {
namespace {

using namespace std::chrono_literals;
namespace limit = limits::yielding;

struct outcome {
    bool found;
    std::chrono::microseconds took;
};
constexpr outcome quick{true, 2us};
constexpr outcome late{true, limit::late_for_one_peer + 1us};
constexpr outcome in_time{true, limit::late_for_one_peer};
constexpr outcome nothing{false, 20us};

/// Waits that were tried, of `waits` that go alike.
int tries(yielding& rule, int waits, outcome each)
{
    int tried = 0;
    for (int i = 0; i < waits; ++i) {
        const bool announced = rule.tries();
        if (rule.next() == yielding::way::sleep) {
            EXPECT_FALSE(announced);
            continue;
        }
        EXPECT_TRUE(announced);
        rule.ended(each.found, each.took);
        ++tried;
    }
    return tried;
}

TEST(yielding_test, how_often_it_is_tried_in_a_thousand_waits)
{
    struct row {
        const char* what;
        std::chrono::microseconds late_after;
        outcome each;
        int least;
        int most;
    };
    for (const row& r : {
             row{"what comes at once", yielding::never, quick, 1000, 1000},
             {"what comes late, to one that waits for many", yielding::never, late, 1000, 1000},
             {"nothing comes", yielding::never, nothing, 4, 10},
             {"what comes at once, of one peer", limit::late_for_one_peer, quick, 1000, 1000},
             {"what comes in time, of one peer", limit::late_for_one_peer, in_time, 1000, 1000},
             {"what comes late, of one peer", limit::late_for_one_peer, late, 4, 10},
             {"nothing comes of one peer", limit::late_for_one_peer, nothing, 4, 10},
         }) {
        yielding rule(true, r.late_after);
        const int tried = tries(rule, 1000, r.each);
        EXPECT_LE(r.least, tried) << r.what;
        EXPECT_GE(r.most, tried) << r.what;
    }
}

// A quarter of the waits at most may be in vain.
TEST(yielding_test, a_failure_counts_as_four_successes)
{
    struct row {
        int successes;
        bool goes_on;
    };
    for (const row& r : {row{3, false}, {4, true}, {10, true}}) {
        yielding rule(true);
        for (int i = 0; i < 100; ++i) {
            (void)tries(rule, r.successes, quick);
            (void)tries(rule, 1, nothing);
        }
        EXPECT_EQ(r.goes_on, tries(rule, 2, quick) == 2) << r.successes;
    }
}

TEST(yielding_test, a_success_that_was_in_vain_is_a_failure)
{
    yielding rule(true);
    int tried = 0;
    for (int i = 0; i < 200; ++i) {
        if (tries(rule, 1, quick) == 0) continue;
        rule.was_in_vain();
        ++tried;
    }
    EXPECT_LE(4, tried);
    EXPECT_GE(20, tried);
}

TEST(yielding_test, who_gave_up_comes_back_by_one_success_and_stays_by_several)
{
    yielding rule(true, limit::late_for_one_peer);
    (void)tries(rule, 100'000, nothing);
    EXPECT_EQ(0, tries(rule, 100, quick)) << "it is tried once in 4,096 waits";
    int waits = 0;
    while (rule.next() == yielding::way::sleep) ASSERT_GT(limit::longest_retry_after, ++waits);
    rule.ended(quick.found, quick.took);
    EXPECT_EQ(50, tries(rule, 50, quick));
    EXPECT_EQ(1, tries(rule, 1, nothing));
    EXPECT_EQ(1, tries(rule, 1, quick)) << "one failure is none";
    (void)tries(rule, 8, nothing);
    EXPECT_LT(0, tries(rule, limit::first_retry_after, quick)) << "it is tried again soon";
}

// --- naps: the core is kept by threads of the same program
// ----------------------------------------------------------------------

using way = yielding::way;
constexpr auto slice = limit::displaced_after + 1us;

struct napping_test : ::testing::Test {
    yielding rule{true, yielding::never, naps::instead_of_long_yields};

    void displace()
    {
        ASSERT_EQ(way::yield, rule.next());
        rule.ended(true, slice);
    }
    /// Ways of so many waits; each nap finds something, and spins as it is told.
    int naps_of(int waits, bool spin_finds = false)
    {
        int count = 0;
        for (int i = 0; i < waits; ++i) {
            switch (rule.next()) {
            case way::nap:
                ++count;
                rule.napped(true, limit::nap, limit::nap);
                break;
            case way::spin: rule.spun(spin_finds); break;
            case way::yield: rule.ended(true, 2us); break;
            case way::sleep: break;
            }
        }
        return count;
    }
    /// Of so many waits, those that do not sleep.
    template <class End>
    int naps_that_end_so(int waits, End end)
    {
        int naps = 0;
        for (int i = 0; i < waits; ++i) {
            if (rule.next() == way::sleep) continue;
            end();
            ++naps;
        }
        return naps;
    }
};

TEST_F(napping_test, follows_a_yield_of_a_time_slice_and_no_shorter_one)
{
    rule.ended(true, limit::displaced_after);
    EXPECT_FALSE(rule.displaced());
    displace();
    EXPECT_TRUE(rule.displaced());
    EXPECT_EQ(way::nap, rule.next());
}

TEST_F(napping_test, goes_on_for_as_long_as_the_core_is_busy)
{
    displace();
    EXPECT_LT(10'000 - 10'000 / limit::naps_before_spin - 2, naps_of(10'000));
    EXPECT_TRUE(rule.displaced());
}

TEST_F(napping_test, ends_when_what_it_waits_for_comes_from_another_core)
{
    displace();
    EXPECT_EQ(limit::naps_before_spin - 1, naps_of(1000, true));
    EXPECT_FALSE(rule.displaced());
}

TEST_F(napping_test, ends_after_some_idle_naps_in_a_row)
{
    constexpr auto busy = limit::nap / 2;
    constexpr auto idle = busy - 1us;
    displace();
    for (int round = 0; round < 10; ++round) {
        for (int i = 1; i < limit::idle_naps; ++i) rule.napped(true, limit::nap, idle);
        rule.napped(true, limit::nap, busy);
    }
    EXPECT_TRUE(rule.displaced());
    for (int i = 0; i < limit::idle_naps; ++i) rule.napped(true, limit::nap, idle);
    EXPECT_EQ(way::yield, rule.next());
}

TEST_F(napping_test, in_vain_is_tried_ever_more_rarely)
{
    displace();
    const int tried = naps_that_end_so(10'000, [this] { rule.napped(false, limit::nap, limit::nap); });
    EXPECT_LE(4, tried);
    EXPECT_GE(16, tried);
}

TEST_F(napping_test, that_brings_few_messages_is_given_up_and_tried_seldom)
{
    displace();
    const int naps = naps_that_end_so(10'000, [this] {
        rule.napped(true, limit::nap, limit::nap);
        rule.brought(limit::few_of_a_nap - 1);
    });
    EXPECT_LE(10'000 / limit::first_retry_after, naps);
    EXPECT_GE(10'000 / limit::first_retry_after + limit::most, naps);
    EXPECT_TRUE(rule.displaced());
}

TEST_F(napping_test, that_brings_several_goes_on)
{
    displace();
    for (int i = 1; i < limit::naps_before_spin; ++i) {
        ASSERT_EQ(way::nap, rule.next());
        rule.napped(true, limit::nap, limit::nap);
        rule.brought(limit::few_of_a_nap);
    }
}

TEST(yielding_test, who_may_not_nap_yields_however_long_it_takes)
{
    yielding rule(true);
    for (int i = 0; i < 1000; ++i) {
        ASSERT_EQ(way::yield, rule.next());
        rule.ended(true, slice);
    }
}

TEST(yielding_test, switched_off_it_is_not_tried)
{
    yielding rule(false);
    EXPECT_EQ(0, tries(rule, 1000, quick));
}

}  // namespace
}  // namespace zlink::load
