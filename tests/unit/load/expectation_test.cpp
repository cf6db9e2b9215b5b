// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Expectations change only after enough observations of the opposite in a row.
#include "load/expectation.hpp"

#include <gtest/gtest.h>

namespace zlink::load {
namespace {

TEST(expectation_test, begins_as_it_was_told)
{
    EXPECT_TRUE(expectation(true));
    EXPECT_FALSE(expectation(false));
}

TEST(expectation_test, changes_after_so_many_in_a_row)
{
    expectation e(false);
    e.saw(true, 3);
    e.saw(true, 3);
    EXPECT_FALSE(e);
    e.saw(true, 3);
    EXPECT_TRUE(e);
    e.saw(false, 1);
    EXPECT_FALSE(e) << "one is enough if one is asked for";
}

TEST(expectation_test, one_as_expected_makes_it_begin_anew)
{
    expectation e(false);
    for (int i = 0; i < 10; ++i) {
        e.saw(true, 3);
        e.saw(true, 3);
        e.saw(false, 3);
    }
    EXPECT_FALSE(e);
}

TEST(expectation_test, observations_before_a_change_do_not_count_after_it)
{
    expectation e(false);
    for (int i = 0; i < 5; ++i) e.saw(true, 3);
    ASSERT_TRUE(e);
    e.saw(false, 3);
    e.saw(false, 3);
    EXPECT_TRUE(e);
    e.saw(false, 3);
    EXPECT_FALSE(e);
}

}  // namespace
}  // namespace zlink::load
