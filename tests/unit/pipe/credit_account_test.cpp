// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pipe/credit_account.hpp"

#include <gtest/gtest.h>

namespace zlink::pipe::test {
namespace {

TEST(credit_account_test, has_room_up_to_the_mark)
{
    credit_account a(2);
    EXPECT_TRUE(a.has_room());
    a.write(1);
    EXPECT_TRUE(a.has_room());
    EXPECT_EQ(1u, a.room());
    a.write(1);
    EXPECT_FALSE(a.has_room());
    EXPECT_EQ(0u, a.room());
    EXPECT_FALSE(a.take(0));
    EXPECT_TRUE(a.take(1));
    EXPECT_EQ(1u, a.room());
}

TEST(credit_account_test, without_a_mark_there_is_always_room)
{
    credit_account a(0);
    a.write(1'000'000);
    EXPECT_TRUE(a.has_room());
}

TEST(credit_account_test, a_lower_mark_counts_what_is_written_already)
{
    credit_account a(10);
    a.write(5);
    a.set_hwm(3);
    EXPECT_FALSE(a.has_room());
    EXPECT_EQ(0u, a.room());
    EXPECT_FALSE(a.take(2));
    EXPECT_TRUE(a.take(3));
}

TEST(credit_account_test, a_write_under_way_promises_room_for_the_next_message_alone)
{
    credit_account a(2);
    a.write(2);
    EXPECT_FALSE(a.promise(0)) << "no write is under way";
    EXPECT_FALSE(a.is_promised());
    EXPECT_TRUE(a.promise(1));
    EXPECT_TRUE(a.is_promised());
    EXPECT_FALSE(a.has_room()) << "it is no credit";
    a.write(1);
    EXPECT_FALSE(a.is_promised());
    EXPECT_FALSE(a.promise(1)) << "the same write makes no more room";
    EXPECT_TRUE(a.promise(2));
}

TEST(credit_account_test, promises_end_at_twice_the_mark)
{
    credit_account a(2);
    a.write(4);
    EXPECT_FALSE(a.promise(4));
    EXPECT_FALSE(a.take(1));
    EXPECT_TRUE(a.promise(4));
}

}  // namespace
}  // namespace zlink::pipe::test
