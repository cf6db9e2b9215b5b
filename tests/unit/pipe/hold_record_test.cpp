// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pipe/hold_record.hpp"

#include <gtest/gtest.h>

namespace zlink::pipe::test {
namespace {

TEST(hold_record_test, the_first_message_needs_a_place)
{
    hold_record held;
    EXPECT_FALSE(held.any());
    EXPECT_TRUE(held.add());
    held.set_place(5);
    EXPECT_FALSE(held.add());
    EXPECT_TRUE(held.any());
    EXPECT_EQ(2u, held.count());
    EXPECT_EQ(5u, held.place());
    EXPECT_EQ(2u, held.take());
    EXPECT_FALSE(held.any());
    EXPECT_TRUE(held.add());
}

}  // namespace
}  // namespace zlink::pipe::test
