// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether a thread that sends has time for writes of its own. Times and sleeps are made up.
#include "load/thread_waits.hpp"

#include <gtest/gtest.h>

namespace zlink::load {
namespace {

using namespace std::chrono_literals;
namespace limit = limits::waits;

class thread_waits_test : public testing::Test {
protected:
    thread_waits_test() { costs(costly, cheap); }

    void costs(std::chrono::nanoseconds write, std::chrono::nanoseconds telling)
    {
        for (int i = 0; i < 200; ++i) {
            rests_.wrote(write);
            rests_.told(telling);
        }
    }
    bool allow(std::chrono::nanoseconds later = step, std::uint32_t peers = 1)
    {
        now_ += later;
        return rests_.allow_write(now_, peers, [this] {
            ++asked_;
            return sleeps_;
        });
    }
    /// Some writes that follow each other for `time`: the last one's.
    bool allow_for(std::chrono::nanoseconds time)
    {
        bool last = false;
        for (const auto end = now_ + time; now_ < end;) last = allow();
        return last;
    }
    void become_busy() { ASSERT_FALSE(allow_for(2 * limit::busy_after)); }

    static constexpr auto costly = 10us;
    static constexpr auto cheap = 5us;
    static constexpr auto step = costly * limit::small_part / 2;

    thread_waits rests_;
    thread_waits::time_point now_{1h};
    long sleeps_ = 5;
    int asked_ = 0;
};

TEST_F(thread_waits_test, who_sleeps_between_writes_may_always_write)
{
    for (int i = 0; i < 1000; ++i, ++sleeps_) EXPECT_TRUE(allow());
}

TEST_F(thread_waits_test, who_waits_for_input_between_writes_may_always_write)
{
    for (int i = 0; i < 1000; ++i) {
        rests_.note();
        EXPECT_TRUE(allow());
    }
    EXPECT_EQ(0, asked_);
}

TEST_F(thread_waits_test, who_never_rests_is_busy_after_a_while)
{
    become_busy();
    rests_.note();
    EXPECT_TRUE(allow());
    EXPECT_TRUE(allow(limit::busy_after / 2));
    EXPECT_TRUE(allow(limit::busy_after / 2));
    EXPECT_FALSE(allow(1us));
}

TEST_F(thread_waits_test, a_sleep_ends_that)
{
    become_busy();
    ++sleeps_;
    EXPECT_TRUE(allow());
}

TEST_F(thread_waits_test, a_busy_thread_writes_what_costs_no_more_than_to_tell)
{
    become_busy();
    costs(cheap - 1us, cheap);
    EXPECT_TRUE(allow());
    costs(cheap + 1us, cheap);
    EXPECT_FALSE(allow());
}

TEST_F(thread_waits_test, a_busy_thread_writes_what_takes_a_small_part_of_its_time)
{
    become_busy();
    EXPECT_TRUE(allow(costly * limit::small_part + 1us));
    EXPECT_FALSE(allow(costly * limit::small_part - 1us));
}

// One wake-up of the I/O thread serves all of them.
TEST_F(thread_waits_test, writes_to_several_peers_are_weighed_together)
{
    become_busy();
    costs(cheap - 1us, cheap);
    EXPECT_TRUE(allow());
    EXPECT_FALSE(allow(step, 2));
    costs(costly, cheap);
    EXPECT_TRUE(allow(2 * costly * limit::small_part + 1us, 2));
    EXPECT_FALSE(allow(2 * costly * limit::small_part - 1us, 2));
}

TEST_F(thread_waits_test, sleeps_are_not_asked_for_soon_after_a_rest)
{
    rests_.note();
    EXPECT_TRUE(allow());
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(allow(limit::busy_after / 4));
    EXPECT_EQ(0, asked_);
}

TEST_F(thread_waits_test, writes_that_are_left_are_counted)
{
    become_busy();
    const auto before = total(rule::own_write_busy).times;
    EXPECT_FALSE(allow());
    EXPECT_EQ(before + 1, total(rule::own_write_busy).times);
}

TEST_F(thread_waits_test, one_interrupted_write_changes_little)
{
    become_busy();
    costs(cheap - 1us, cheap);
    rests_.told(1h);
    rests_.wrote(costly);
    EXPECT_TRUE(allow()) << "what was interrupted counts as a long one of its kind";
    costs(costly, cheap);
    EXPECT_FALSE(allow());
}

}  // namespace
}  // namespace zlink::load
