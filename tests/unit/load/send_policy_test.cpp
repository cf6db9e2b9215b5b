// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// When a message goes out that is sent to a sleeping I/O thread: decisions, deadlines and what being late costs.
#include "load/send_policy.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace zlink::load {
namespace {

using namespace std::chrono_literals;
using enum send_decision;

constexpr send_facts unread{.input_unread = true};
constexpr auto looks = [] { return true; };
constexpr auto nobody_looks = [] { return false; };

class send_policy_test : public testing::Test {
protected:
    send_decision decide(send_facts f = unread)
    {
        f.held = held_;
        f.peers = held_ != 0;
        const auto what = policy_.decide(f, now_, looks);
        if (what == hold) ++held_;
        return what;
    }
    void release()
    {
        policy_.release(now_, held_ != 0,
                        [this](std::chrono::nanoseconds allowed) { return lost_processor_ && ran_ < allowed; });
        held_ = 0;
    }
    /// A message that is held, and released after so long.
    bool hold_for(std::chrono::microseconds time)
    {
        const bool held = decide() == hold;
        if (held) witnessed_ = policy_.begins_witnessed_batch();
        now_ += time;
        release();
        return held;
    }

    /// By this test.
    [[nodiscard]] std::uint64_t counted(rule what) const { return total(what).times - before_[std::size_t(what)]; }

    const std::array<std::uint64_t, rules> before_ = [] {
        std::array<std::uint64_t, rules> all{};
        for (std::size_t i = 0; i < rules; ++i) all[i] = total(rule(i)).times;
        return all;
    }();
    send_policy policy_;
    send_policy::time_point now_{1s};
    std::uint32_t held_ = 0;
    bool lost_processor_ = false;
    std::chrono::nanoseconds ran_{};  ///< since the batch began
    bool witnessed_ = false;
};

struct row {
    const char* what;
    send_facts facts;
    send_decision expected;
};

TEST_F(send_policy_test, first_decisions)
{
    for (const row& r : {
             row{"nothing is expected", {}, write},
             {"input is unread", {.input_unread = true}, hold},
             {"input is unread, and a descriptor is watched", {.input_unread = true, .waits_silently = true}, hold},
             {"more follows", {.in_burst = true}, hold},
             {"the queue is full", {.input_unread = true, .has_room = false}, release_one},
             {"the queue is full in a burst", {.in_burst = true, .has_room = false}, release_one},
             {"enough is held for the peer", {.input_unread = true, .held = limits::sends::most_held - 1}, release_one},
             {"one less", {.input_unread = true, .held = limits::sends::most_held - 2}, hold},
         }) {
        send_policy fresh;
        EXPECT_EQ(r.expected, fresh.decide(r.facts, now_, looks)) << r.what;
    }
}

TEST_F(send_policy_test, what_nobody_looks_after_is_left)
{
    for (const row& r : {
             row{"input is unread", unread, leave},
             {"nothing is expected", {}, write},
             {"more follows", {.in_burst = true}, hold},
             {"some is held already", {.input_unread = true, .held = 1}, hold},
             {"the queue is full", {.input_unread = true, .has_room = false}, release_one},
         }) {
        send_policy fresh;
        EXPECT_EQ(r.expected, fresh.decide(r.facts, now_, nobody_looks)) << r.what;
    }
}

TEST_F(send_policy_test, only_what_could_be_held_asks_who_looks)
{
    bool asked = false;
    const auto asks = [&asked] { return asked = true; };
    for (const send_facts& f : {send_facts{}, {.in_burst = true}, {.input_unread = true, .held = 1}}) {
        (void)policy_.decide(f, now_, asks);
        EXPECT_FALSE(asked);
    }
    (void)policy_.decide(unread, now_, asks);
    EXPECT_TRUE(asked);
}

TEST_F(send_policy_test, a_thread_that_takes_long_for_each_message_holds_for_50_us)
{
    EXPECT_EQ(hold, decide());
    now_ += 25us;
    EXPECT_EQ(hold, decide());
    now_ += 30us;  // one write saved
    EXPECT_EQ(release_all, decide());
}

TEST_F(send_policy_test, a_thread_that_is_quick_holds_for_as_long_as_it_saves_more)
{
    for (int i = 0; i < 60; ++i, now_ += 1us) ASSERT_EQ(hold, decide()) << i;
    now_ += 100us;
    EXPECT_EQ(hold, decide());  // 60 writes of 3 us
    now_ += 130us;
    EXPECT_EQ(release_all, decide());
}

TEST_F(send_policy_test, no_number_of_saved_writes_counts_for_more_than_a_millisecond)
{
    for (std::uint32_t i = 0; i < 1000; ++i) {
        ASSERT_EQ(hold, policy_.decide({.input_unread = true, .held = i % 60, .peers = 1}, now_, looks)) << i;
    }
    now_ += 1049us;
    EXPECT_EQ(hold, policy_.decide({.input_unread = true, .peers = 1}, now_, looks));
    now_ += 1us;
    EXPECT_EQ(release_all, policy_.decide({.input_unread = true, .peers = 1}, now_, looks));
}

TEST_F(send_policy_test, one_message_each_for_many_peers_saves_nothing)
{
    std::uint32_t peers = 0;
    for (; peers < 50; ++peers, now_ += 1us) {
        ASSERT_EQ(hold, policy_.decide({.input_unread = true, .peers = peers}, now_, looks)) << peers;
    }
    EXPECT_EQ(release_all, policy_.decide({.input_unread = true, .peers = peers}, now_, looks));
}

TEST_F(send_policy_test, writes_are_measured)
{
    for (int i = 0; i < 100; ++i) policy_.wrote(2, 20us);
    for (int i = 0; i < 11; ++i) ASSERT_EQ(hold, decide());
    now_ += 145us;
    EXPECT_EQ(hold, decide());  // ten writes of 10 us
    now_ += 30us;
    EXPECT_EQ(release_all, decide());
}

TEST_F(send_policy_test, an_interrupted_write_does_not_count_for_more_than_20_us)
{
    policy_.wrote(1, 1s);
    EXPECT_EQ(hold, decide());
    EXPECT_EQ(hold, decide());
    now_ += 56us;  // 3 us, and an eighth of the 17 more
    EXPECT_EQ(release_all, decide());
}

TEST_F(send_policy_test, the_first_late_message_is_excused_and_others_are_witnessed)
{
    EXPECT_TRUE(hold_for(10us));
    EXPECT_FALSE(witnessed_);
    EXPECT_TRUE(hold_for(5ms));
    EXPECT_EQ(1u, counted(rule::held_excused));
    for (int i = 0; i < limits::sends::batches_witnessed; ++i) {
        ASSERT_TRUE(hold_for(10us));
        ASSERT_TRUE(witnessed_) << i;
    }
    EXPECT_TRUE(hold_for(10us));
    EXPECT_FALSE(witnessed_);
}

TEST_F(send_policy_test, for_each_message_that_is_excused_unseen_as_many_batches_are_witnessed)
{
    for (int i = 0; i < 3; ++i) EXPECT_EQ(hold, decide());
    now_ += 5ms;
    release();
    EXPECT_EQ(3u, counted(rule::held_excused));
    for (int i = 0; i < 3 * limits::sends::batches_witnessed; ++i) {
        ASSERT_TRUE(hold_for(10us));
        ASSERT_TRUE(witnessed_) << i;
    }
    EXPECT_TRUE(hold_for(10us));
    EXPECT_FALSE(witnessed_);
}

TEST_F(send_policy_test, a_batch_is_witnessed_from_its_first_message_on)
{
    EXPECT_TRUE(hold_for(5ms));
    EXPECT_EQ(hold, decide());
    EXPECT_TRUE(policy_.begins_witnessed_batch());
    EXPECT_EQ(hold, decide());
    EXPECT_FALSE(policy_.begins_witnessed_batch());
}

TEST_F(send_policy_test, a_thread_that_loses_its_processor_again_and_again_is_not_to_blame)
{
    lost_processor_ = true;
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(hold_for(5ms));
    EXPECT_EQ(0u, counted(rule::held_late));
    lost_processor_ = false;
    EXPECT_TRUE(hold_for(5ms));
    EXPECT_FALSE(hold_for(5ms));
}

// What it saves itself by a write for all of them it may take, without its processor as with it.
TEST_F(send_policy_test, a_batch_of_a_thread_without_a_processor_may_take_the_time_that_it_saves)
{
    constexpr int batch = 41;
    const auto allowed = limits::sends::late_after + (batch - 1) * limits::sends::first_write_time;
    lost_processor_ = true;
    for (const bool in_time : {true, true, false}) {  // the first one is excused unseen
        for (int message = 0; message < batch; ++message) {
            ASSERT_EQ(hold, decide());
            (void)policy_.begins_witnessed_batch();
        }
        ran_ = in_time ? allowed - 1ns : allowed;
        now_ += 5ms;
        release();
        EXPECT_EQ(in_time ? 0u : std::uint64_t(batch), counted(rule::held_late));
    }
}

TEST_F(send_policy_test, after_a_late_message_the_next_200_are_not_held)
{
    EXPECT_TRUE(hold_for(101us));  // excused
    EXPECT_TRUE(hold_for(101us));
    EXPECT_EQ(1u, counted(rule::held_late));
    for (int i = 0; i < limits::sends::saves_per_late; ++i) ASSERT_EQ(write, decide()) << i;
    EXPECT_EQ(200u, counted(rule::not_held));
    EXPECT_EQ(hold, decide());
}

TEST_F(send_policy_test, what_may_not_be_held_is_left_where_it_comes_in_a_row)
{
    EXPECT_TRUE(hold_for(101us));  // excused
    EXPECT_TRUE(hold_for(101us));
    EXPECT_EQ(leave, decide({.input_unread = true, .in_row = true}));
    EXPECT_EQ(write, decide({.input_unread = true}));
    EXPECT_EQ(write, decide({.in_row = true}));  // nothing is expected behind it
    EXPECT_EQ(hold, decide({.in_burst = true, .in_row = true}));
}

TEST_F(send_policy_test, messages_in_time_pay_for_late_ones)
{
    EXPECT_TRUE(hold_for(5ms));  // excused
    for (int i = 0; i < limits::sends::saves_per_late; ++i) ASSERT_TRUE(hold_for(10us));
    EXPECT_TRUE(hold_for(5ms));
    EXPECT_TRUE(hold_for(10us));
    EXPECT_TRUE(hold_for(5ms));
    EXPECT_FALSE(hold_for(10us));
}

TEST_F(send_policy_test, a_long_good_time_pays_for_64_late_messages_and_no_more)
{
    for (int i = 0; i < 100'000; ++i) ASSERT_TRUE(hold_for(10us));
    int late = 0;
    while (hold_for(5ms)) ++late;
    EXPECT_EQ(int(limits::sends::most_late_in_a_row) + 1, late - 1);  // one is excused
}

// Whatever a program does.
TEST_F(send_policy_test, at_most_one_message_in_200_is_late_in_the_long_run)
{
    std::uint64_t messages = 0;
    std::uint32_t state = 1;
    for (int i = 0; i < 300'000; ++i, ++messages) {
        state = state * 1664525 + 1013904223;
        (void)hold_for(state >> 24 < 40 ? 5ms : 5us);
    }
    EXPECT_LE(counted(rule::held_late), messages / limits::sends::saves_per_late + limits::sends::most_late_in_a_row);
    EXPECT_LE(counted(rule::held_excused), messages / limits::sends::batches_witnessed + 1);
    EXPECT_GT(counted(rule::held), 0u);
}

TEST_F(send_policy_test, more_follows_in_a_burst_however_late_messages_were)
{
    EXPECT_TRUE(hold_for(5ms));
    EXPECT_TRUE(hold_for(5ms));
    EXPECT_EQ(write, decide());
    EXPECT_EQ(hold, decide({.in_burst = true}));
}

TEST_F(send_policy_test, short_rounds_with_several_messages_are_learnt)
{
    for (int round = 0; round < limits::sends::rounds_to_learn; ++round) {
        EXPECT_EQ(write, decide({}));
        EXPECT_EQ(write, decide({}));
        now_ += 20us;
        policy_.end_round(now_);
    }
    EXPECT_EQ(hold, decide({}));
    EXPECT_EQ(write, decide({.waits_silently = true}));
    now_ += 50us;
    EXPECT_EQ(write, decide({}));
}

TEST_F(send_policy_test, what_is_forgotten_is_not_late)
{
    EXPECT_EQ(hold, decide());
    policy_.forget(1);
    held_ = 0;
    now_ += 5ms;
    release();
    EXPECT_EQ(0u, counted(rule::held_late));
    EXPECT_EQ(hold, decide());
}

}  // namespace
}  // namespace zlink::load
