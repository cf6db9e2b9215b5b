// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether a sender writes itself, or tells a sleeping I/O thread. The times are made up.
#include "load/own_writes.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace zlink::load {
namespace {

using namespace std::chrono_literals;
using verdict = own_writes::verdict;
namespace limit = limits::own_writes;

class own_writes_test : public testing::Test {
protected:
    using connection = own_writes;

    verdict decide(own_write_facts f = {}) { return decide_of(one_, f); }
    verdict decide_of(connection& of, own_write_facts f = {})
    {
        f.sent = ++sent_[&of];
        const verdict v = of.decide(f, now_, row_);
        if (v != verdict::write_in_row) return v;
        now_ += write_time_;
        own_writes::wrote_in_row(now_, row_);
        return v;
    }
    /// One message to each, without a pause; how many were written.
    int send_to_all(std::vector<connection>& many)
    {
        int written = 0;
        for (connection& one : many) {
            now_ += 100ns;
            written += decide_of(one) == verdict::write_in_row;
        }
        return written;
    }

    /// So many to one peer after a pause. How many were written by their sender.
    int burst_of(unsigned messages)
    {
        now_ += 10ms;
        int written = 0;
        for (unsigned i = 0; i < messages; ++i, now_ += 1us) written += decide() == verdict::write_in_row;
        return written;
    }
    /// Writes in a row that use up what a long pause has earned.
    void use_up()
    {
        write_time_ = limit::longest_write_time;
        now_ += 1s;
        for (int i = 0; i < limit::most_allowance / limit::longest_write_time; ++i) {
            ASSERT_EQ(verdict::write_in_row, decide());
        }
        write_time_ = {};
    }

    connection one_;
    std::map<const connection*, std::uint64_t> sent_;
    own_write_row row_;
    own_writes::time_point now_{1s};
    std::chrono::nanoseconds write_time_{};
};

TEST_F(own_writes_test, decisions_right_behind_a_write)
{
    struct row {
        const char* what;
        own_write_facts facts;
        std::chrono::microseconds later;
        verdict expected;
    };
    for (const row& r : {
             row{"a flood", {}, 1us, verdict::leave},
             {"a flood, at the edge", {}, limit::gap, verdict::leave},
             {"a message now and then", {}, limit::gap + 1us, verdict::write_in_row},
             {"an answer", {.received = 1}, 1us, verdict::write},
             {"an answer, and the I/O thread is at work",
              {.io_thread_awake = true, .received = 1},
              1us,
              verdict::leave},
             {"that, later", {.io_thread_awake = true, .received = 1}, limit::gap + 1us, verdict::write_in_row},
             {"a message now and then, of one of many threads",
              {.affordable = false},
              limit::gap + 1us,
              verdict::leave},
             {"an answer of one of many", {.affordable = false, .received = 1}, 1us, verdict::write},
             {"what was held", {.held = true}, 1us, verdict::write},
             {"that, and the I/O thread is at work", {.held = true, .io_thread_awake = true}, 1us, verdict::write},
         }) {
        one_ = {};
        sent_.clear();
        row_ = {};
        use_up();
        now_ += r.later;
        EXPECT_EQ(r.expected, decide(r.facts)) << r.what;
        now_ += 1s;
    }
}

TEST_F(own_writes_test, bursts_are_left_once_they_are_expected)
{
    constexpr unsigned many = limit::few_more + 2;
    for (int i = 0; i <= limit::to_learn; ++i) EXPECT_EQ(many, unsigned(burst_of(many))) << i;
    for (int i = 0; i < 10; ++i) EXPECT_EQ(0, burst_of(many)) << i;
    for (int i = 0; i <= limit::to_learn; ++i) EXPECT_EQ(0, burst_of(1)) << i;
    for (int i = 0; i < 10; ++i) EXPECT_EQ(1, burst_of(1)) << i;
}

// The I/O thread is awake then, and takes them without being told.
TEST_F(own_writes_test, what_follows_a_message_that_was_left_counts)
{
    constexpr unsigned many = limit::few_more + 2;
    for (int i = 0; i <= limit::to_learn; ++i) (void)burst_of(many);
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(0, burst_of(1)) << i;
        sent_[&one_] += many - 1;
    }
}

TEST_F(own_writes_test, a_message_that_is_asked_about_twice_counts_once)
{
    (void)decide();
    for (int i = 0; i < 10 * limit::to_learn; ++i) {
        now_ += 10ms;
        EXPECT_EQ(verdict::write_in_row, one_.decide({.sent = sent_[&one_]}, now_, row_)) << i;
    }
}

TEST_F(own_writes_test, a_few_together_are_written_one_by_one)
{
    for (int i = 0; i < 100; ++i) EXPECT_EQ(limit::few_more + 1, unsigned(burst_of(limit::few_more + 1))) << i;
}

TEST_F(own_writes_test, one_burst_among_single_messages_changes_nothing)
{
    for (int i = 0; i < 100; ++i) {
        const unsigned messages = i % limit::to_learn == 0 ? 2 * limit::few : 1;
        EXPECT_EQ(messages, unsigned(burst_of(messages))) << i;
    }
}

// Twelve messages to four peers in turn, each of which takes its sender longer than a pause.
TEST_F(own_writes_test, the_time_of_a_threads_own_writes_is_no_pause)
{
    write_time_ = limit::gap + 1us;
    std::vector<connection> four(4);
    for (int burst = 0; burst <= limit::to_learn; ++burst) {
        now_ += 10ms;
        for (int i = 0; i < 3; ++i) (void)send_to_all(four);
    }
    now_ += 10ms;
    (void)decide();
    EXPECT_EQ(0, send_to_all(four));
}

TEST_F(own_writes_test, a_connection_may_go_to_another_thread)
{
    use_up();
    ASSERT_EQ(verdict::leave, decide());
    own_write_row other;
    other.allowance = limit::most_allowance;
    now_ += limit::gap + 1us;
    EXPECT_EQ(verdict::write_in_row, one_.decide({.sent = sent_[&one_] + 1}, now_, other));
}

TEST_F(own_writes_test, a_flood_stays_one_however_long_it_lasts)
{
    use_up();
    for (int i = 0; i < 1000; ++i, now_ += 15us) EXPECT_EQ(verdict::leave, decide());
    now_ += limit::gap;
    EXPECT_EQ(verdict::write_in_row, decide());
}

TEST_F(own_writes_test, each_answer_counts_once)
{
    use_up();
    EXPECT_EQ(verdict::write, decide({.received = 3}));
    EXPECT_EQ(verdict::leave, decide({.received = 3}));
}

TEST_F(own_writes_test, what_follows_a_wait_answers_it_whoever_was_heard)
{
    use_up();
    row_.note_wait();
    EXPECT_EQ(verdict::write, decide());
    EXPECT_EQ(verdict::leave, decide()) << "once";
    row_.note_wait();
    EXPECT_EQ(verdict::leave, decide({.io_thread_awake = true}));
    EXPECT_EQ(verdict::leave, decide()) << "it counts no more";
}

TEST_F(own_writes_test, a_burst_to_many_is_written_by_its_sender_while_that_takes_a_part_of_its_time)
{
    write_time_ = 5us;
    std::vector<connection> many(limit::few);
    for (int burst = 0; burst < 10; ++burst, now_ += (limit::few + 1) * write_time_ * limit::part_of_pauses)
        EXPECT_EQ(limit::few, unsigned(send_to_all(many))) << burst;
}

// One wake-up of the I/O thread serves all of them.
TEST_F(own_writes_test, bursts_to_more_are_left_once_they_are_expected)
{
    write_time_ = 1us;
    std::vector<connection> many(limit::few + 1);
    now_ += 1s;
    for (int burst = 0; burst <= limit::to_learn; ++burst, now_ += 10ms) EXPECT_LT(0, send_to_all(many)) << burst;
    for (int burst = 0; burst < 10; ++burst, now_ += 10ms) EXPECT_EQ(0, send_to_all(many)) << burst;
    std::vector<connection> one(1);
    for (int burst = 0; burst <= limit::to_learn; ++burst, now_ += 10ms) (void)send_to_all(one);
    EXPECT_EQ(1, send_to_all(one));
}

TEST_F(own_writes_test, bursts_with_several_messages_to_each_are_left_though_they_are_short)
{
    write_time_ = 1us;
    std::vector<connection> four(4);
    now_ += 1s;
    for (int burst = 0; burst <= limit::to_learn; ++burst, now_ += 10ms) {
        EXPECT_LT(0, send_to_all(four)) << burst;
        (void)send_to_all(four);
    }
    for (int burst = 0; burst < 10; ++burst, now_ += 10ms) {
        EXPECT_EQ(0, send_to_all(four)) << burst;
        for (const connection& each : four) ++sent_[&each];
    }
}

TEST_F(own_writes_test, the_time_to_tell_an_io_thread_is_no_pause)
{
    for (int burst = 0; burst <= limit::to_learn; ++burst) {
        now_ += 10ms;
        for (unsigned i = 0; i < limit::few_more + 2; ++i) {
            (void)decide();
            now_ += 2 * limit::gap;
            row_.told(2 * limit::gap);
        }
    }
    now_ += 10ms;
    EXPECT_EQ(verdict::leave, decide());
}

TEST_F(own_writes_test, beyond_that_the_io_threads_write_the_rest)
{
    write_time_ = 5us;
    std::vector<connection> many(limit::few);
    (void)send_to_all(many);
    // A pause that earns the time of four writes.
    for (int burst = 0; burst < 10; ++burst) {
        now_ += 4 * write_time_ * limit::part_of_pauses;
        const int written = send_to_all(many);
        if (burst > 4) {
            EXPECT_LE(3, written);
            EXPECT_GE(5, written);
        }
    }
    now_ += 1s;
    std::vector<connection> hundreds(300);
    EXPECT_EQ(limit::most_allowance / write_time_, send_to_all(hundreds)) << "however long the pause was";
}

TEST_F(own_writes_test, a_flood_of_many_connections_stays_one_however_many_they_are)
{
    write_time_ = 3us;
    for (const std::size_t connections : {2, 16, 200, 1000}) {
        std::vector<connection> many(connections);
        now_ += 1s;
        int written = 0;
        for (int round = 0; round < 100; ++round) written += send_to_all(many);
        EXPECT_GE(limit::most_allowance / write_time_ + 1, written) << connections;
    }
}

TEST_F(own_writes_test, a_thread_that_loses_the_processor_in_a_write_pays_for_a_long_one)
{
    (void)decide();
    now_ += 1s;
    write_time_ = 10ms;
    std::vector<connection> one(1);
    EXPECT_EQ(1, send_to_all(one));
    write_time_ = 1us;
    std::vector<connection> others(10);
    EXPECT_EQ(10, send_to_all(others));
}

TEST(own_write_row_test, a_message_follows_one_that_was_sent_up_to_100_us_before)
{
    own_write_row row;
    own_writes::time_point now{1s};
    EXPECT_FALSE(row.follows(now));
    EXPECT_TRUE(row.follows(now += 100us));
    EXPECT_FALSE(row.follows(now += 101us));
    EXPECT_TRUE(row.follows(now += 1us));
}

TEST_F(own_writes_test, are_counted)
{
    const auto written = total(rule::own_write).times;
    const auto left = total(rule::own_write_left).times;
    use_up();
    const int in_row = limit::most_allowance / limit::longest_write_time;
    (void)decide({.held = true});
    (void)decide();
    EXPECT_EQ(written + in_row + 1, total(rule::own_write).times);
    EXPECT_EQ(left + 1, total(rule::own_write_left).times);
}

}  // namespace
}  // namespace zlink::load
