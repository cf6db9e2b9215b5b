// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How often rules have fired, of all threads.
#include "load/counters.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

namespace zlink::load {
namespace {

using namespace std::chrono_literals;

TEST(load_counters_test, add_up_over_threads_that_are_there_and_that_ended)
{
    const count_of before = total(rule::nap);
    count(rule::nap, 1, 5ns);
    for (int turn = 0; turn < 2; ++turn) {
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([] {
                for (int n = 0; n < 1000; ++n) count(rule::nap, 2, 3ns);
            });
        }
        for (std::thread& t : threads) t.join();
    }
    const count_of after = total(rule::nap);
    EXPECT_EQ(16'001u, after.times - before.times);
    EXPECT_EQ(24'005ns, after.waited - before.waited);
}

TEST(load_counters_test, can_be_read_while_others_count)
{
    const std::uint64_t before = total(rule::other_programs).times;
    std::thread other([] {
        for (int n = 0; n < 100'000; ++n) count(rule::other_programs);
    });
    std::uint64_t last = before;
    for (int i = 0; i < 1000; ++i) {
        const std::uint64_t now = total(rule::other_programs).times;
        EXPECT_LE(last, now);
        last = now;
    }
    other.join();
    EXPECT_EQ(before + 100'000, total(rule::other_programs).times);
}

TEST(load_counters_test, each_has_a_name_of_its_own_and_is_described)
{
    std::set<std::string> names;
    for (std::size_t i = 0; i < rules; ++i) {
        const rule_text& text = text_of(rule(i));
        ASSERT_NE(nullptr, text.name) << i;
        EXPECT_TRUE(names.insert(text.name).second) << text.name;
        EXPECT_LT(10u, std::string(text.description).size()) << text.name;
    }
}

}  // namespace
}  // namespace zlink::load
