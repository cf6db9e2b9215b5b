// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Broken invariants end the process where they are checked, and are not even looked at elsewhere.
#include "base/invariant.hpp"

#include <gtest/gtest.h>

namespace zlink {
namespace {

TEST(invariant_test, that_holds_says_nothing)
{
    int asked = 0;
    invariant<true>([&] { return ++asked == 1; });
    EXPECT_EQ(1, asked);
}

TEST(invariant_test, that_is_broken_ends_the_process_and_says_where)
{
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(invariant<true>([] { return false; }), "broken invariant: .*invariant_test.cpp");
}

TEST(invariant_test, that_is_not_checked_costs_nothing)
{
    invariant<false>([]() -> bool {
        ADD_FAILURE() << "nobody asks";
        return false;
    });
}

}  // namespace
}  // namespace zlink
