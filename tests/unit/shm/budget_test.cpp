// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The bound of the memory that a socket shares.
#include "shm/budget.hpp"

#include <gtest/gtest.h>

namespace zlink::shm {
namespace {

TEST(shm_budget_test, gives_no_more_than_there_is)
{
    budget b({.least = 1, .most = 100});
    EXPECT_TRUE(b.made.take(60));
    EXPECT_FALSE(b.made.take(41));
    EXPECT_TRUE(b.made.take(40));
    EXPECT_EQ(0u, b.made.left());
    EXPECT_FALSE(b.made.take(1));
    EXPECT_TRUE(b.taken.take(100)) << "the other direction has its own";
    b.made.give_back(60);
    EXPECT_EQ(60u, b.made.left());
    EXPECT_FALSE(b.made.take(~std::uint64_t{0}));
}

}  // namespace
}  // namespace zlink::shm
