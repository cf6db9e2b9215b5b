// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Yielding before sleep: when it tries, when it gives up, and how it comes back.
#include "runtime/yield_spin.hpp"

#include "runtime/clock.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>

namespace zlink::runtime {
namespace {

// Counts how often it was asked at all. What else this machine computes is left out.
struct scripted {
    explicit scripted(bool enabled = true, std::chrono::microseconds late_after = yield_spin::never)
        : spin(enabled, yield_spin::default_longest, contention, late_after)
    {}

    core_contention contention;
    yield_spin spin;
    int tries = 0;

    void forget_crowd()
    {
        std::destroy_at(&contention);
        std::construct_at(&contention);
    }

    bool wait(bool success)
    {
        forget_crowd();
        bool asked = false;
        const bool ready = spin([&] {
            asked = true;
            return success;
        });
        tries += asked;
        return ready;
    }
};

TEST(yield_spin_test, switched_off_it_never_looks)
{
    scripted s(false);
    for (int i = 0; i < 200; ++i) EXPECT_FALSE(s.wait(true));
    EXPECT_EQ(0, s.tries);
}

TEST(yield_spin_test, ends_as_soon_as_there_is_something)
{
    core_contention contention;
    yield_spin spin(true, yield_spin::default_longest, contention);
    int looks = 0;
    EXPECT_TRUE(spin([&] { return ++looks == 1; }));
    EXPECT_EQ(1, looks);
}

TEST(yield_spin_test, ends_without_anything_too)
{
    core_contention contention;
    yield_spin spin(true, yield_spin::default_longest, contention);
    int looks = 0;
    EXPECT_FALSE(spin([&] { return ++looks < 0; }));
    EXPECT_GE(looks, 1);
}

TEST(yield_spin_test, a_success_that_was_in_vain_counts_as_a_failure)
{
    scripted s;
    for (int i = 0; i < 200; ++i) {
        if (s.wait(true)) s.spin.was_in_vain();
    }
    EXPECT_LT(s.tries, 20);
    EXPECT_GE(s.tries, 4);
}

TEST(yield_spin_test, a_thread_that_waits_long_hardly_tries_any_more)
{
    scripted s;
    for (int i = 0; i < 1000; ++i) EXPECT_FALSE(s.wait(false));
    EXPECT_GE(s.tries, 4);
    EXPECT_LE(s.tries, 10);  // 4 failures, and then after 64, 128, .. waits
}

// However busy this machine is, nothing is late that is not meant to be.
class yield_spin_of_one_peer_test : public ::testing::Test {
protected:
    scripted s{true, std::chrono::hours(1)};
};

TEST_F(yield_spin_of_one_peer_test, tries_less_and_less_but_never_not_at_all)
{
    for (int i = 0; i < 20'000; ++i) EXPECT_FALSE(s.wait(false));
    EXPECT_LE(s.tries, 20);
    s.tries = 0;
    for (int i = 0; i < 20'000; ++i) EXPECT_FALSE(s.wait(false));
    EXPECT_GE(s.tries, 3);
}

TEST(yield_spin_test, what_is_found_late_counts_as_a_failure)
{
    scripted s(true, yield_spin::late_for_one_peer);
    int tries = 0;
    for (int i = 0; i < 1000; ++i) {
        s.forget_crowd();
        (void)s.spin([&] {
            ++tries;
            const auto end = clock::now() + 2 * load::limits::yielding::long_yield;
            while (clock::now() < end) {
            }
            return true;
        });
    }
    EXPECT_LT(tries, 20);
}

TEST_F(yield_spin_of_one_peer_test, comes_back_for_good_when_waits_are_short_again)
{
    for (int i = 0; i < 20'000; ++i) EXPECT_FALSE(s.wait(false));
    int waits = 0;
    while (!s.wait(true)) ASSERT_LT(++waits, 5000);
    for (int i = 0; i < 50; ++i) (void)s.wait(true);
    // Once it gives up again, it soon tries again.
    for (int i = 0; i < 8; ++i) (void)s.wait(false);
    waits = 0;
    while (!s.wait(true)) ASSERT_LT(++waits, 300);
}

TEST(yield_spin_test, comes_back_when_waits_are_short_again)
{
    scripted s;
    for (int i = 0; i < 200; ++i) EXPECT_FALSE(s.wait(false));
    int waits = 0;
    while (!s.wait(true)) ASSERT_LT(++waits, 256);  // the second try in vain was less than 128 ago
    s.tries = 0;
    for (int i = 0; i < 50; ++i) EXPECT_TRUE(s.wait(true));
    EXPECT_EQ(50, s.tries);
    // And does not give up at the first long one.
    EXPECT_FALSE(s.wait(false));
    EXPECT_TRUE(s.wait(true));
}

TEST(yield_spin_test, no_thread_yields_while_it_is_crowded)
{
    using namespace std::chrono_literals;
    core_contention contention;
    const auto now = clock::now();
    for (int loss = -5; loss != 0; ++loss) contention.measured(now + loss * 5ms, 4ms, {});
    ASSERT_TRUE(contention.contended(clock::now()));
    yield_spin spin(true, yield_spin::default_longest, contention);
    EXPECT_FALSE(spin([] { return true; }));
}

}  // namespace
}  // namespace zlink::runtime
