// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A look at a side of a lane that is just going on in other memory (pipe/octet_base.hpp).
#include "model/litmus.hpp"

namespace zlink::model {
namespace {

struct orders {
    std::memory_order behind_first = release;  ///< octet_base::order_stores()
    std::memory_order last_version = release;
    std::memory_order first_look = acquire;
    std::memory_order before_last_look = seq_cst;
};

// The side has passed 1 octet of the old memory, which begins at 0. It jumps to 10, and passes one more there. So base
// and address are 0 and 1, then -9 and 10, then -9 and 11.
program side_and_looker(const orders& o)
{
    return {[=](thread& t) {
                t.store("version", 1, relaxed);
                t.fence(o.behind_first);
                t.store("base", -9, relaxed);
                t.store("address", 10, relaxed);
                t.store("version", 2, o.last_version);
                t.store("address", 11, relaxed);
            },
            [=](thread& t) {
                const value before = t.load("version", o.first_look);
                const value base = t.load("base", relaxed);
                const value address = t.load("address", relaxed);
                t.fence(o.before_last_look);
                const value after = t.load("version", relaxed);
                if (before % 2 != 0 || after != before) return t.tell("looks again", 1);
                t.tell("from old memory", before == 0);
                t.tell("octets", base + (address == 0 ? 1 : address));
            }};
}

// "address" 0 is what was there at first, so it stands for the first octet of the old memory.
bool wrong(const ending& e)
{
    return e["looks again"] == 0 && e["octets"] != 1 && e["octets"] != 2;
}

TEST(octet_base_model_test, a_look_sees_base_and_address_of_the_same_memory)
{
    EXPECT_TRUE(holds(side_and_looker({}), wrong));
}

// Else that would hold for never happening.
TEST(octet_base_model_test, a_look_succeeds_before_the_jump_and_behind_it)
{
    EXPECT_TRUE(breaks(side_and_looker({}), [](const ending& e) { return e["from old memory"] == 1; }));
    EXPECT_TRUE(breaks(side_and_looker({}), [](const ending& e) { return e["octets"] == 2; }));
}

TEST(octet_base_model_test, each_of_the_orders_is_needed)
{
    EXPECT_TRUE(breaks(side_and_looker({.behind_first = acquire}), wrong));
    EXPECT_TRUE(breaks(side_and_looker({.last_version = relaxed, .first_look = relaxed}), wrong));
    EXPECT_TRUE(breaks(side_and_looker({.first_look = relaxed}), wrong));
    EXPECT_TRUE(breaks(side_and_looker({.before_last_look = release}), wrong));
}

}  // namespace
}  // namespace zlink::model
