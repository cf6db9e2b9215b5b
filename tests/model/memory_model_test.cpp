// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The checker itself, by the examples that every treatise on memory models has.
#include "model/litmus.hpp"

namespace zlink::model {
namespace {

program store_buffering(std::memory_order store, std::memory_order load, bool first_fence, bool second_fence)
{
    return {[=](thread& t) {
                t.store("x", 1, store);
                if (first_fence) t.fence();
                t.tell("y", t.load("y", load));
            },
            [=](thread& t) {
                t.store("y", 1, store);
                if (second_fence) t.fence();
                t.tell("x", t.load("x", load));
            }};
}

bool both_missed(const ending& e)
{
    return e["x"] == 0 && e["y"] == 0;
}

TEST(memory_model_test, a_store_and_a_later_load_change_places_unless_both_sides_are_sequentially_consistent_or_fenced)
{
    EXPECT_TRUE(holds(store_buffering(seq_cst, seq_cst, false, false), both_missed));
    EXPECT_TRUE(holds(store_buffering(relaxed, relaxed, true, true), both_missed));
    EXPECT_TRUE(breaks(store_buffering(seq_cst, relaxed, false, false), both_missed));
    EXPECT_TRUE(breaks(store_buffering(release, acquire, false, false), both_missed));
    EXPECT_TRUE(breaks(store_buffering(relaxed, relaxed, true, false), both_missed));
}

TEST(memory_model_test, fences_and_sequentially_consistent_operations_go_together)
{
    const auto mixed = [](std::memory_order load) {
        return program{[](thread& t) {
                           t.store("x", 1, seq_cst);
                           t.fence();
                           t.tell("y", t.load("y", relaxed));
                       },
                       [=](thread& t) {
                           t.store("y", 1, seq_cst);
                           t.tell("x", t.load("x", load));
                       }};
    };
    EXPECT_TRUE(holds(mixed(seq_cst), both_missed));
    EXPECT_TRUE(breaks(mixed(acquire), both_missed));
}

TEST(memory_model_test, an_exchange_is_no_fence)
{
    const auto exchanging = [](std::memory_order load) {
        return program{[=](thread& t) {
                           (void)t.exchange("x", 1, seq_cst);
                           t.tell("y", t.load("y", load));
                       },
                       [=](thread& t) {
                           (void)t.exchange("y", 1, seq_cst);
                           t.tell("x", t.load("x", load));
                       }};
    };
    EXPECT_TRUE(holds(exchanging(seq_cst), both_missed));
    EXPECT_TRUE(breaks(exchanging(relaxed), both_missed));
}

TEST(memory_model_test, a_release_shows_what_came_before_to_an_acquire)
{
    const auto passing = [](std::memory_order store, std::memory_order load) {
        return program{[=](thread& t) {
                           t.store("octets", 1, relaxed);
                           t.store("flag", 1, store);
                       },
                       [=](thread& t) {
                           t.tell("flag", t.load("flag", load));
                           t.tell("octets", t.load("octets", relaxed));
                       }};
    };
    const auto bad = [](const ending& e) { return e["flag"] == 1 && e["octets"] == 0; };
    EXPECT_TRUE(holds(passing(release, acquire), bad));
    EXPECT_TRUE(breaks(passing(relaxed, acquire), bad));
    EXPECT_TRUE(breaks(passing(release, relaxed), bad));
}

// Each does its half, whatever the store and the load are.
TEST(memory_model_test, a_release_fence_shows_what_came_before_to_an_acquire_fence)
{
    const auto message = [](std::memory_order before_store, std::memory_order behind_load) {
        return program{[=](thread& t) {
                           t.store("data", 1, relaxed);
                           t.fence(before_store);
                           t.store("flag", 1, relaxed);
                       },
                       [=](thread& t) {
                           if (t.load("flag", relaxed) == 0) return;
                           t.fence(behind_load);
                           t.tell("missed", t.load("data", relaxed) == 0);
                       }};
    };
    const auto missed = [](const ending& e) { return e["missed"] == 1; };
    EXPECT_TRUE(holds(message(release, acquire), missed));
    EXPECT_TRUE(holds(message(seq_cst, acquire), missed));
    EXPECT_TRUE(breaks(message(acquire, acquire), missed));
    EXPECT_TRUE(breaks(message(release, release), missed));
}

TEST(memory_model_test, all_see_sequentially_consistent_stores_in_one_order)
{
    const auto watching = [](std::memory_order store, std::memory_order load) {
        return program{[=](thread& t) { t.store("x", 1, store); }, [=](thread& t) { t.store("y", 1, store); },
                       [=](thread& t) {
                           t.tell("x first", t.load("x", load));
                           t.tell("y then", t.load("y", load));
                       },
                       [=](thread& t) {
                           t.tell("y first", t.load("y", load));
                           t.tell("x then", t.load("x", load));
                       }};
    };
    const auto bad = [](const ending& e) {
        return e["x first"] == 1 && e["y then"] == 0 && e["y first"] == 1 && e["x then"] == 0;
    };
    EXPECT_TRUE(holds(watching(seq_cst, seq_cst), bad));
    EXPECT_TRUE(breaks(watching(release, acquire), bad));
}

TEST(memory_model_test, loads_and_later_stores_change_places)
{
    const program p{[](thread& t) {
                        t.tell("x", t.load("x", relaxed));
                        t.store("y", 1, relaxed);
                    },
                    [](thread& t) {
                        t.tell("y", t.load("y", relaxed));
                        t.store("x", 1, relaxed);
                    }};
    EXPECT_TRUE(breaks(p, [](const ending& e) { return e["x"] == 1 && e["y"] == 1; }));
}

TEST(memory_model_test, one_location_is_always_in_order)
{
    const program p{[](thread& t) {
                        t.store("x", 1, relaxed);
                        t.store("x", 2, relaxed);
                    },
                    [](thread& t) {
                        t.tell("first", t.load("x", relaxed));
                        t.tell("then", t.load("x", relaxed));
                    }};
    EXPECT_TRUE(holds(p, [](const ending& e) { return e["first"] > e["then"]; }));
    EXPECT_TRUE(holds(p, [](const ending& e) { return e["=x"] != 2; }));
    const program count{[](thread& t) { (void)t.fetch_or("x", 1, relaxed); },
                        [](thread& t) { (void)t.fetch_or("x", 2, relaxed); }};
    EXPECT_TRUE(holds(count, [](const ending& e) { return e["=x"] != 3; }));
}

TEST(memory_model_test, a_heavy_fence_is_one_for_the_others_too)
{
    const auto program_with = [](auto fence) {
        return program{[](thread& t) {
                           t.store("x", 1, relaxed);
                           t.tell("y", t.load("y", relaxed));
                       },
                       [=](thread& t) {
                           t.store("y", 1, relaxed);
                           fence(t);
                           t.tell("x", t.load("x", relaxed));
                       }};
    };
    EXPECT_TRUE(holds(program_with([](thread& t) { t.heavy_fence(); }), both_missed));
    EXPECT_TRUE(breaks(program_with([](thread& t) { t.fence(); }), both_missed));
}

TEST(memory_model_test, who_sleeps_hears_of_the_last_change)
{
    const program p{[](thread& t) { t.store("x", 1, relaxed); },
                    [](thread& t) {
                        t.await("x", [](value v) { return v == 1; });
                        t.tell("awake", 1);
                    }};
    EXPECT_TRUE(holds(p, [](const ending& e) { return e["awake"] == 0; }));
    EXPECT_TRUE(breaks(p, [](const ending& e) { return e["awake"] == 1; }));
}

}  // namespace
}  // namespace zlink::model
