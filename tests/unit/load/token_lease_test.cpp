// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether a waiting thread reads itself, and keeps the tokens. The times are made up.
#include "load/token_lease.hpp"

#include <gtest/gtest.h>

namespace zlink::load {
namespace {

using namespace std::chrono_literals;
namespace limit = limits::lease;

class token_lease_test : public testing::Test {
protected:
    bool pays(unsigned all)
    {
        return lease_.pays(all, [this] { return now_; });
    }
    /// A wait that takes so long, of a connection and others, all of which have something.
    token_lease::verdict wait(std::chrono::microseconds time, unsigned others = 0, unsigned neighbours = 1)
    {
        return wait_and_find(time, {1 + others, 1 + others}, neighbours);
    }
    token_lease::verdict wait_and_find(std::chrono::microseconds time, connections_read read, unsigned neighbours = 1)
    {
        now_ += time;
        return lease_.waited(now_, read, [neighbours] { return neighbours; });
    }
    /// Rounds in which the I/O threads read, until the tokens are taken.
    unsigned rounds_until_taken(unsigned all)
    {
        unsigned rounds = 0;
        for (; !pays(all) && rounds < 100'000; ++rounds) lease_.left_to_others(now_ += 100us, all - 1);
        return rounds;
    }
    /// Rounds in which the thread reads, until it stops; at most so many.
    unsigned rounds_until_sparse(connections_read read, unsigned most)
    {
        unsigned rounds = 1;
        while (wait_and_find(100us, read).park && rounds < most) ++rounds;
        return rounds;
    }

    token_lease lease_;
    token_lease::time_point now_{1s};
};

TEST_F(token_lease_test, a_few_connections_are_taken_at_once)
{
    EXPECT_TRUE(pays(1));
    EXPECT_TRUE(pays(limit::most_at_each_wait));
    EXPECT_FALSE(pays(limit::most_at_each_wait + 1));
}

// Two system calls a round on average, however many there are.
TEST_F(token_lease_test, many_are_taken_after_as_many_quick_rounds)
{
    for (const unsigned all : {3u, 4u, 5u, 16u, 64u}) {
        lease_ = {};
        unsigned rounds = 0;
        (void)lease_.left_to_others(now_, all - 1);
        while (!pays(all)) {
            now_ += 100us;
            lease_.left_to_others(now_, all - 1);
            ASSERT_GT(100u, ++rounds);
        }
        EXPECT_EQ(std::max(all, limit::rounds_to_park), rounds) << all;
        lease_.ended();
        EXPECT_FALSE(pays(all)) << "they are paid for anew";
    }
}

TEST_F(token_lease_test, a_thread_that_was_away_begins_anew)
{
    for (int i = 0; i < 100; ++i, now_ += 100us) lease_.left_to_others(now_, 3);
    EXPECT_TRUE(pays(4));
    now_ += 10ms;
    EXPECT_FALSE(pays(4));
    EXPECT_FALSE(pays(4));
}

TEST_F(token_lease_test, who_is_back_soon)
{
    struct row {
        const char* what;
        std::chrono::microseconds time;
        unsigned others;
        unsigned neighbours;
        bool parks;
        std::chrono::microseconds away;  ///< if it parks
    };
    for (const row& r : {
             row{"2,000 rounds a second", 499us, 0, 1, true, 4ms},
             {"less", 501us, 0, 1, false, {}},
             {"64 connections", 3649us, 63, 64, true, 10300us},
             {"64 connections, less often", 6401us, 63, 64, false, {}},
             {"one of a hundred clients", 9ms, 0, 100, true, 20ms},
             {"one of a hundred clients, less often", 11ms, 0, 100, false, {}},
             {"one of a thousand clients", 29ms, 0, 1000, true, 40ms},
             {"one of a thousand clients, less often", 31ms, 0, 1000, false, {}},
         }) {
        lease_ = {};
        (void)wait(1s);
        token_lease::verdict last;
        for (unsigned i = 0; i < limit::rounds_to_park; ++i) {
            EXPECT_FALSE(last.park) << r.what;
            last = wait(r.time, r.others, r.neighbours);
        }
        EXPECT_EQ(r.parks, last.park) << r.what;
        EXPECT_EQ(r.parks ? r.away : last.away, last.away) << r.what;
    }
}

TEST_F(token_lease_test, one_slow_round_gives_the_tokens_back)
{
    for (int i = 0; i < 10; ++i) (void)wait(100us);
    EXPECT_TRUE(wait(100us).park);
    EXPECT_FALSE(wait(50ms).park);
    EXPECT_FALSE(wait(100us).park);
}

TEST_F(token_lease_test, many_connections_of_which_one_has_something_are_left_to_the_io_threads)
{
    (void)wait(1s);
    for (const unsigned all : {limit::polled_for_one_found + 1, limit::most_connections}) {
        lease_ = {};
        (void)rounds_until_taken(all);
        EXPECT_GT(50u, rounds_until_sparse({all, 1}, 1000)) << all;
        EXPECT_LE(limit::first_sparse_rounds, rounds_until_taken(all)) << all;
        EXPECT_GT(50u, rounds_until_sparse({all, 1}, 1000)) << all;
        EXPECT_LE(2 * limit::first_sparse_rounds, rounds_until_taken(all)) << all;
    }
}

TEST_F(token_lease_test, some_connections_are_read_though_one_has_something)
{
    (void)wait(1s);
    (void)rounds_until_taken(limit::polled_for_one_found);
    EXPECT_EQ(1000u, rounds_until_sparse({limit::polled_for_one_found, 1}, 1000));
}

TEST_F(token_lease_test, many_are_read_of_which_several_have_something)
{
    (void)wait(1s);
    (void)rounds_until_taken(limit::most_connections);
    EXPECT_EQ(1000u, rounds_until_sparse({limit::most_connections, 3}, 1000));
}

TEST_F(token_lease_test, tries_become_rarer_up_to_a_limit_until_some_rounds_were_worth_it)
{
    constexpr unsigned all = limit::most_connections;
    (void)wait(1s);
    (void)rounds_until_taken(all);
    for (int i = 0; i < 20; ++i) {
        (void)rounds_until_sparse({all, 0}, 1000);
        if (i < 19) (void)rounds_until_taken(all);
    }
    EXPECT_EQ(limit::longest_sparse_rounds + 0u, rounds_until_taken(all));
    EXPECT_EQ(limit::first_sparse_rounds, rounds_until_sparse({all, all}, limit::first_sparse_rounds));
    (void)rounds_until_sparse({all, 0}, 1000);
    EXPECT_GE(limit::first_sparse_rounds + all, rounds_until_taken(all));
}

TEST_F(token_lease_test, a_thread_that_does_not_wait_looks_now_and_then_and_is_away_some_day)
{
    (void)wait(100us, 1);
    for (const unsigned all : {1, 64}) {
        const auto between = limit::between_checks + all * limit::between_checks_each;
        EXPECT_FALSE(lease_.may_look(now_ + between, all));
        EXPECT_TRUE(lease_.may_look(now_ + between + 1us, all));
    }
    EXPECT_FALSE(lease_.is_over(now_ + 4099us, 2));
    EXPECT_TRUE(lease_.is_over(now_ + 4100us, 2));
}

}  // namespace
}  // namespace zlink::load
