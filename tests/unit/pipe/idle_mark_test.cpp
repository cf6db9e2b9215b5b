// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pipe/idle_mark.hpp"

#include <gtest/gtest.h>

namespace zlink::pipe::test {
namespace {

TEST(idle_mark_test, is_watched_before_it_has_a_place_and_may_lose_it_first)
{
    idle_mark m;
    EXPECT_FALSE(m.is_watched());
    EXPECT_FALSE(m.has_place());
    m.watch();
    EXPECT_TRUE(m.is_watched());
    EXPECT_FALSE(m.has_place());
    m.set_place(0);
    EXPECT_TRUE(m.has_place());
    EXPECT_EQ(0u, m.place());
    m.set_place(7);
    EXPECT_EQ(7u, m.place());
    m.clear_place();
    EXPECT_FALSE(m.has_place());
    EXPECT_TRUE(m.is_watched());
    m.stop_watching();
    EXPECT_FALSE(m.is_watched());
}

}  // namespace
}  // namespace zlink::pipe::test
