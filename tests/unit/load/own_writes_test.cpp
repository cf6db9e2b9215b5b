// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether a sender writes itself, or tells a sleeping I/O thread. The times are made up.
#include "load/own_writes.hpp"

#include <gtest/gtest.h>

namespace zlink::load {
namespace {

using namespace std::chrono_literals;
using verdict = own_writes::verdict;
namespace limit = limits::own_writes;

class own_writes_test : public testing::Test {
protected:
    verdict decide(own_write_facts f = {}) { return decide_of(rule_, f); }
    verdict decide_of(own_writes& of, own_write_facts f = {})
    {
        const verdict v = of.decide(f, now_, row_);
        if (v == verdict::write_in_row) own_writes::wrote_in_row(now_, row_);
        return v;
    }

    own_writes rule_;
    own_write_row row_;
    own_writes::time_point now_{1s};
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
             {"what was held", {.held = true}, 1us, verdict::write},
             {"that, and the I/O thread is at work", {.held = true, .io_thread_awake = true}, 1us, verdict::write},
             {"subscriptions", {.subscriptions = true, .io_thread_awake = true}, 1us, verdict::write},
         }) {
        rule_ = {};
        row_ = {};
        EXPECT_EQ(verdict::write_in_row, decide()) << r.what;
        now_ += r.later;
        EXPECT_EQ(r.expected, decide(r.facts)) << r.what;
        now_ += 1s;
    }
}

TEST_F(own_writes_test, a_flood_stays_one_however_long_it_lasts)
{
    (void)decide();
    for (int i = 0; i < 1000; ++i, now_ += 15us) EXPECT_EQ(verdict::leave, decide());
    now_ += limit::gap;
    EXPECT_EQ(verdict::write_in_row, decide());
}

TEST_F(own_writes_test, each_answer_counts_once)
{
    (void)decide();
    EXPECT_EQ(verdict::write, decide({.received = 3}));
    EXPECT_EQ(verdict::leave, decide({.received = 3}));
}

TEST_F(own_writes_test, what_follows_a_wait_answers_it_whoever_was_heard)
{
    (void)decide();
    row_.note_wait();
    EXPECT_EQ(verdict::write, decide());
    EXPECT_EQ(verdict::leave, decide()) << "once";
    row_.note_wait();
    EXPECT_EQ(verdict::leave, decide({.io_thread_awake = true}));
    EXPECT_EQ(verdict::leave, decide()) << "it counts no more";
}

TEST_F(own_writes_test, a_thread_that_sends_to_many_writes_to_a_few)
{
    for (int round = 0; round < 3; ++round, now_ += 100us) {
        own_writes many[10];
        int written = 0;
        for (own_writes& one : many) {
            written += decide_of(one) == verdict::write_in_row;
            now_ += 2us;
        }
        EXPECT_EQ(int(limit::most_in_row), written);
    }
}

TEST_F(own_writes_test, are_counted)
{
    const auto written = total(rule::own_write).times;
    const auto left = total(rule::own_write_left).times;
    (void)decide();
    (void)decide();
    (void)decide({.held = true});
    EXPECT_EQ(written + 2, total(rule::own_write).times);
    EXPECT_EQ(left + 1, total(rule::own_write_left).times);
}

}  // namespace
}  // namespace zlink::load
