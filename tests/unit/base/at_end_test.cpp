// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The action at the end of a block, however that ends.
#include "base/at_end.hpp"

#include <gtest/gtest.h>

namespace zlink {
namespace {

int with_early_return(bool early, int& acts)
{
    const at_end act([&] { ++acts; });
    if (early) return acts;
    return acts + 10;
}

TEST(at_end_test, acts_once_behind_the_last_line_and_behind_a_return)
{
    int acts = 0;
    EXPECT_EQ(0, with_early_return(true, acts)) << "not before the end";
    EXPECT_EQ(1, acts);
    EXPECT_EQ(11, with_early_return(false, acts));
    EXPECT_EQ(2, acts);
}

TEST(at_end_test, acts_when_an_exception_leaves_the_block)
{
    int acts = 0;
    const auto fails = [&] {
        const at_end act([&] { ++acts; });
        throw 1;
    };
    EXPECT_THROW(fails(), int);
    EXPECT_EQ(1, acts);
}

}  // namespace
}  // namespace zlink
