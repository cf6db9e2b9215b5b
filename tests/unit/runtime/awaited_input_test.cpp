// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Readings of the descriptors whose input other threads may wait for, without a loop. With one:
// event_loop_descriptors_test.cpp.
#include "runtime/awaited_input.hpp"

#include "eventfd_handler.hpp"
#include "runtime/events.hpp"

#include "runtime/run_time.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>

namespace zlink::runtime::test {
namespace {

using namespace std::chrono_literals;

class awaited_input_test : public testing::Test {
protected:
    awaited_input_test()
    {
        EXPECT_TRUE(outer_.open());
        EXPECT_TRUE(awaited_.open(outer_));
        add(one_);
    }

    void add(eventfd_handler& handler)
    {
        ASSERT_TRUE(awaited_.add(handler.fd(), handler));
        awaited_.arm(handler.fd(), handler, events::readable);
    }
    /// As a loop does. False: there was nothing to read.
    bool read()
    {
        if (outer_.poll()) outer_.pass_on();
        if (!awaited_.begin()) return false;
        while (awaited_.piece()) {
        }
        return true;
    }
    [[nodiscard]] std::uint64_t count() const { return awaited_.counted().count(); }

    descriptor_set outer_;
    awaited_input awaited_;
    eventfd_handler one_;
};

TEST_F(awaited_input_test, there_is_nothing_to_read_at_first)
{
    EXPECT_TRUE(awaited_.nothing_there());
    EXPECT_FALSE(read());
    EXPECT_EQ(0u, count());
}

TEST_F(awaited_input_test, a_reading_tells_all_that_are_ready)
{
    std::deque<eventfd_handler> many(2 * descriptor_reports::most + 1);
    for (eventfd_handler& h : many) {
        add(h);
        h.raise();
    }
    EXPECT_FALSE(awaited_.nothing_there());
    EXPECT_TRUE(read());
    for (eventfd_handler& h : many) EXPECT_EQ(1, h.told);
    EXPECT_EQ(2u, count());
    EXPECT_TRUE(awaited_.nothing_there());
    for (eventfd_handler& h : many) awaited_.remove(h.fd(), h);
}

TEST_F(awaited_input_test, input_that_is_being_dealt_with_is_there)
{
    bool nothing = true;
    one_.action = [&] { nothing = awaited_.nothing_there(); };
    one_.raise();
    EXPECT_TRUE(read());
    EXPECT_FALSE(nothing);
    EXPECT_TRUE(awaited_.nothing_there());
}

// A descriptor that is ready again is left for the next reading, so that each reading has an end.
TEST_F(awaited_input_test, a_reading_ends_though_there_is_always_more)
{
    one_.action = [&] { awaited_.arm(one_.fd(), one_, events::readable); };
    one_.raise();
    for (int reading = 1; reading <= 3; ++reading) {
        EXPECT_TRUE(read());
        EXPECT_EQ(reading, one_.told);
        EXPECT_EQ(2u * unsigned(reading), count());
    }
}

TEST_F(awaited_input_test, input_that_was_left_behind_is_there_until_it_was_told_of)
{
    one_.action = [&] {
        if (one_.told < 3) awaited_.requeue(one_);
    };
    one_.raise();
    for (int reading = 1; reading <= 3; ++reading) {
        EXPECT_TRUE(read());
        EXPECT_EQ(reading, one_.told);
        EXPECT_EQ(reading < 3, awaited_.counted().input_left_behind());
        EXPECT_EQ(reading == 3, awaited_.nothing_there());
    }
    EXPECT_FALSE(read());
}

TEST_F(awaited_input_test, a_handler_that_leaves_takes_its_input_along)
{
    eventfd_handler two;
    add(two);
    awaited_.requeue(one_);
    awaited_.requeue(two);
    awaited_.remove(one_.fd(), one_);
    EXPECT_TRUE(awaited_.counted().input_left_behind());
    awaited_.remove(two.fd(), two);
    EXPECT_FALSE(awaited_.counted().input_left_behind());
    EXPECT_FALSE(awaited_.any());
    EXPECT_FALSE(read());
    EXPECT_EQ(0, one_.told + two.told);
}

TEST_F(awaited_input_test, a_thread_that_drives_the_loop_reads_itself)
{
    eventfd_handler two;
    add(two);
    one_.raise();
    two.raise();
    if (outer_.poll()) outer_.pass_on();
    ASSERT_TRUE(awaited_.begin());
    ASSERT_TRUE(awaited_.piece());
    EXPECT_EQ(1, one_.told + two.told);
    awaited_.read_all(true);
    EXPECT_EQ(2, one_.told + two.told);
    EXPECT_EQ(4u, count());
    one_.action = {};
    awaited_.arm(one_.fd(), one_, events::readable);
    awaited_.read_all(false);
    EXPECT_EQ(2, one_.told);
    EXPECT_EQ(6u, count());
}

TEST_F(awaited_input_test, a_wait_for_a_reading_that_never_comes_has_an_end)
{
    const thread_clock none;
    one_.raise();
    const auto start = clock::now();
    awaited_.await_reading(start + 5ms, none);
    EXPECT_GE(clock::now() - start, 5ms);
    EXPECT_FALSE(awaited_.awaited());
    // Within a flood it does not depend on the caller's limit. A thread that loses its core may miss the flood.
    bool short_one = false;
    for (int i = 0; i < 100 && !short_one; ++i) {
        const auto limit = clock::now() + 1s;
        awaited_.note_flood();
        awaited_.await_reading(limit, none);
        short_one = clock::now() < limit;
        EXPECT_FALSE(awaited_.awaited());
    }
    EXPECT_TRUE(short_one);
}

TEST(run_time_test, counts_no_more_than_a_bit_at_once)
{
    run_time ran(5s, 100us);
    EXPECT_EQ(60us, ran.until(5s + 60us));
    EXPECT_EQ(160us, ran.until(9s));
}

TEST(run_time_test, a_clock_that_begins_anew_takes_nothing_back)
{
    run_time ran(5s, 100us);
    EXPECT_EQ(100us, ran.until(6s));
    EXPECT_EQ(100us, ran.until(0s)) << "the thread that drove the loop has gone";
    EXPECT_EQ(150us, ran.until(50us));
}

}  // namespace
}  // namespace zlink::runtime::test
