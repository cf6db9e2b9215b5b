// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The owner of a lock, and a thread that takes the ownership away (runtime/brief_lock.hpp).
#include "model/litmus.hpp"

namespace zlink::model {
namespace {

// enter_as_owner, a section, leave_as_owner; end_ownership and a section.
program owner_and_other(bool heavy, std::memory_order leave)
{
    return {[=](thread& t) {
                t.store("inside", 1, relaxed);
                const bool owns = t.load("taken away", relaxed) == 0;
                if (owns) {
                    t.tell("owner was in", 1);
                    t.tell("owner found", t.load("of the other", relaxed));
                    t.store("of the owner", 1, relaxed);
                }
                t.store("inside", 0, leave);
                if (!owns || t.load("taken away", relaxed) == 1) t.tell("owner wakes", 1);
            },
            [=](thread& t) {
                t.store("taken away", 1, relaxed);
                if (heavy) t.heavy_fence();
                if (t.load("inside", acquire) == 1) return t.tell("other waits", 1);
                t.tell("other was in", 1);
                t.tell("other found", t.load("of the owner", relaxed));
                t.store("of the other", 1, relaxed);
            }};
}

TEST(brief_lock_test, lets_nobody_in_beside_its_owner)
{
    const auto both_in = [](const ending& e) {
        return e["owner was in"] == 1 && e["other was in"] == 1 && (e["other found"] == 0 || e["owner found"] == 1);
    };
    EXPECT_TRUE(holds(owner_and_other(true, release), both_in));
    EXPECT_TRUE(breaks(owner_and_other(false, release), both_in));
    EXPECT_TRUE(breaks(owner_and_other(true, relaxed), both_in));
}

TEST(brief_lock_test, lets_nobody_sleep_for_an_owner_that_has_left)
{
    const auto sleeps_on = [](const ending& e) { return e["other waits"] == 1 && e["owner wakes"] == 0; };
    EXPECT_TRUE(holds(owner_and_other(true, release), sleeps_on));
    EXPECT_TRUE(breaks(owner_and_other(false, release), sleeps_on));
}

// One is held up on its way in while another one takes the ownership away and enters as the owner, and a third one
// comes. "owner" is 0 for the first, 2 for the second, 1 for none.
program two_owners(bool places_of_their_own)
{
    const location second = places_of_their_own ? "inside, second" : "inside";
    return {[](thread& t) {
                if (t.load("owner", relaxed) != 0) return;
                t.store("inside", 1, relaxed);
                (void)t.load("owner", relaxed);
                t.store("inside", 0, release);
            },
            [=](thread& t) {
                t.store("owner", 2, release);  // it held the word, and the first was outside
                t.store(second, 1, relaxed);
                if (t.load("owner", relaxed) == 2) t.tell("second is in", 1);
            },
            [=](thread& t) {
                if (t.load("owner", acquire) != 2) return;
                t.store("owner", 1, relaxed);
                t.heavy_fence();
                if (t.load(second, acquire) == 0) t.tell("third is in", 1);
            }};
}

TEST(brief_lock_test, lets_a_late_owner_disturb_no_other_one)
{
    const auto both_in = [](const ending& e) { return e["second is in"] == 1 && e["third is in"] == 1; };
    EXPECT_TRUE(holds(two_owners(true), both_in));
    EXPECT_TRUE(breaks(two_owners(false), both_in));
}

}  // namespace
}  // namespace zlink::model
