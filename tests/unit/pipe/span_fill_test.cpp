// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pipe/span_fill.hpp"

#include <gtest/gtest.h>

namespace zlink::pipe::test {
namespace {

TEST(span_fill_test, is_full_at_its_mark)
{
    span_fill f(3);
    EXPECT_TRUE(f.stays_open_with_one());
    f.add(1);
    EXPECT_TRUE(f.stays_open_with_one());
    f.add(1);
    EXPECT_FALSE(f.stays_open_with_one());
    EXPECT_FALSE(f.is_full());
    f.add(1);
    EXPECT_TRUE(f.is_full());
    EXPECT_EQ(3u, f.messages());
}

TEST(span_fill_test, begins_anew_behind_an_ended_span)
{
    span_fill f(2);
    f.add(5);
    EXPECT_EQ(5u, f.take());
    EXPECT_EQ(0u, f.messages());
    EXPECT_FALSE(f.is_full());
}

TEST(span_fill_test, a_body_closes_the_span)
{
    span_fill f(10);
    f.end_next();
    EXPECT_FALSE(f.stays_open_with_one());
    EXPECT_TRUE(f.is_full());
    f.end_at(10);
    EXPECT_FALSE(f.is_full());
}

}  // namespace
}  // namespace zlink::pipe::test
