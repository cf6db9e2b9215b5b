// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The count of readings tells whether all that was ready has been dealt with.
#include "runtime/readings.hpp"

#include <gtest/gtest.h>

namespace zlink::runtime {
namespace {

TEST(readings_test, counts_beginnings_and_ends)
{
    readings r;
    EXPECT_FALSE(readings::under_way(r.count()));
    r.begin();
    EXPECT_TRUE(readings::under_way(r.count()));
    r.end();
    EXPECT_FALSE(readings::under_way(r.count()));
    EXPECT_EQ(2u, r.count());
}

TEST(readings_test, a_thread_that_comes_between_two_waits_for_the_next_one)
{
    readings r;
    const auto enough = readings::end_of_next(r.count());
    EXPECT_FALSE(r.have_reached(enough));
    r.begin();
    EXPECT_FALSE(r.have_reached(enough));
    r.end();
    EXPECT_TRUE(r.have_reached(enough));
    EXPECT_TRUE(r.have_read_all(enough));
}

TEST(readings_test, a_thread_that_comes_during_one_waits_for_the_one_behind_it)
{
    readings r;
    r.begin();
    const auto enough = readings::end_of_next(r.count());
    r.end();
    EXPECT_FALSE(r.have_reached(enough));
    r.begin();
    EXPECT_FALSE(r.have_reached(enough));
    r.end();
    EXPECT_TRUE(r.have_reached(enough));
}

TEST(readings_test, input_that_is_left_behind_is_not_all_read)
{
    readings r;
    r.begin();
    r.leave_input();
    r.end();
    EXPECT_TRUE(r.have_reached(2));
    EXPECT_TRUE(r.input_left_behind());
    EXPECT_FALSE(r.have_read_all(2));
    r.note_left_input_read(true);
    EXPECT_FALSE(r.have_read_all(2));
    r.note_left_input_read(false);
    EXPECT_TRUE(r.have_read_all(2));
    r.leave_input();
    r.forget_left_input();
    EXPECT_FALSE(r.input_left_behind());
}

}  // namespace
}  // namespace zlink::runtime
