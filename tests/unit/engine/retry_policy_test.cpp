// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// When an endpoint is tried again, and when it is not: events in, waits out. Of one client, and of many at a time.
#include "engine/retry_policy.hpp"

#include "engine/connection_options.hpp"
#include "engine/dial_machine.hpp"
#include "engine/ending.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace zlink::engine {
namespace {

using namespace std::chrono_literals;

using waits = std::vector<std::optional<std::chrono::milliseconds>>;

class retry_policy_test : public ::testing::Test {
protected:
    [[nodiscard]] retry_policy policy() const { return {options_, 1}; }

    static waits next(retry_policy& p, int count)
    {
        waits all;
        for (int i = 0; i < count; ++i) all.push_back(p.next_wait());
        return all;
    }

    struct range {
        std::chrono::milliseconds half;
        std::chrono::milliseconds whole;
    };

    /// The first waits of a thousand policies lie in these ranges, and all over them.
    void expect_ranges(const std::vector<range>& ranges) const
    {
        std::vector<range> seen(ranges.size(), {std::chrono::milliseconds::max(), 0ms});
        for (std::uint32_t seed = 1; seed <= 1000; ++seed) {
            retry_policy p(options_, seed);
            for (range& one : seen) {
                const auto wait = p.next_wait();
                ASSERT_TRUE(wait);
                one = {std::min(one.half, *wait), std::max(one.whole, *wait)};
            }
        }
        for (std::size_t i = 0; i < ranges.size(); ++i) {
            const auto slack = (ranges[i].whole - ranges[i].half) / 20;
            EXPECT_GE(seen[i].half, ranges[i].half) << i;
            EXPECT_LE(seen[i].half, ranges[i].half + slack) << i;
            EXPECT_LE(seen[i].whole, ranges[i].whole) << i;
            EXPECT_GE(seen[i].whole + std::chrono::milliseconds(1), ranges[i].whole - slack) << i;
        }
    }

    connection_options options_;
};

TEST_F(retry_policy_test, waits_the_interval_and_less_than_as_much_again)
{
    options_.reconnect_ivl = 100ms;
    retry_policy p = policy();
    std::set<std::chrono::milliseconds> seen;
    for (const auto& wait : next(p, 200)) {
        ASSERT_TRUE(wait);
        EXPECT_GE(*wait, 100ms);
        EXPECT_LT(*wait, 200ms);
        seen.insert(*wait);
    }
    EXPECT_GT(seen.size(), 50u);  // clients of a restarted server come apart
}

TEST_F(retry_policy_test, an_interval_of_zero_is_none)
{
    for (const auto longest : {0ms, 100ms}) {
        options_.reconnect_ivl = 0ms;
        options_.reconnect_ivl_max = longest;
        retry_policy p = policy();
        EXPECT_EQ((waits{0ms, 0ms}), next(p, 2));
    }
}

TEST_F(retry_policy_test, with_a_maximum_each_wait_is_drawn_from_the_half_to_the_whole_of_a_step_that_doubles)
{
    options_.reconnect_ivl = 100ms;
    options_.reconnect_ivl_max = 700ms;
    expect_ranges({{100ms, 200ms}, {200ms, 400ms}, {350ms, 700ms}, {350ms, 700ms}, {350ms, 700ms}});
}

TEST_F(retry_policy_test, the_first_wait_is_not_below_the_interval_and_none_above_the_maximum)
{
    options_.reconnect_ivl = 100ms;
    options_.reconnect_ivl_max = 150ms;
    expect_ranges({{100ms, 150ms}, {75ms, 150ms}, {75ms, 150ms}});
    options_.reconnect_ivl_max = 100ms;
    expect_ranges({{100ms, 100ms}, {50ms, 100ms}, {50ms, 100ms}});
}

TEST_F(retry_policy_test, the_shortest_steps_leave_a_wait_and_the_longest_fit)
{
    options_.reconnect_ivl = 1ms;
    options_.reconnect_ivl_max = 1ms;
    expect_ranges({{1ms, 1ms}, {1ms, 1ms}});
    options_.reconnect_ivl_max = 3ms;
    expect_ranges({{1ms, 1ms}, {2ms, 2ms}, {2ms, 2ms}});
    constexpr std::chrono::milliseconds longest(std::numeric_limits<int>::max());
    options_.reconnect_ivl = longest - 1ms;
    options_.reconnect_ivl_max = longest;
    retry_policy p = policy();
    EXPECT_EQ(longest - 1ms, p.next_wait());
    for (const auto& wait : next(p, 10)) {
        EXPECT_GE(wait, longest / 2);
        EXPECT_LE(wait, longest);
    }
}

TEST_F(retry_policy_test, a_longest_interval_below_the_shortest_counts_as_none)
{
    options_.reconnect_ivl = 100ms;
    options_.reconnect_ivl_max = 50ms;
    retry_policy p = policy();
    for (const auto& wait : next(p, 10)) EXPECT_GE(wait, 100ms);
}

TEST_F(retry_policy_test, waits_begin_again_with_the_shortest_after_a_handshake)
{
    options_.reconnect_ivl = 100ms;
    options_.reconnect_ivl_max = 1000ms;
    retry_policy p = policy();
    for (int i = 0; i < 50; ++i) {
        (void)next(p, 3);
        p.established();
        const waits again = next(p, 2);
        EXPECT_GE(again[0], 100ms);
        EXPECT_LT(again[0], 200ms);
        EXPECT_GE(again[1], 200ms);
        EXPECT_LT(again[1], 400ms);
    }
}

TEST_F(retry_policy_test, a_negative_interval_is_never)
{
    options_.reconnect_ivl = -1ms;
    retry_policy p = policy();
    EXPECT_EQ((waits{std::nullopt, std::nullopt}), next(p, 2));
}

TEST_F(retry_policy_test, goes_on_after_all_but_its_own_end_a_breach_of_the_protocol_and_a_lasting_refusal)
{
    const retry_policy p = policy();
    for (const errc why : {errc::connection_refused, errc::timed_out, errc::host_unreachable, errc::out_of_memory}) {
        EXPECT_TRUE(p.goes_on_after(why));
    }
    for (const bool established : {false, true}) {
        for (const bool closing : {false, true}) {
            EXPECT_TRUE(p.goes_on_after(ending::lost, established, closing));
            EXPECT_TRUE(p.goes_on_after(ending::timed_out, established, closing));
            EXPECT_TRUE(p.goes_on_after(ending::handshake_failed, established, closing));
            EXPECT_FALSE(p.goes_on_after(ending::finished, established, closing));
            EXPECT_FALSE(p.goes_on_after(ending::protocol_error, established, closing));
            EXPECT_FALSE(p.goes_on_after(ending::refused, established, closing));
        }
    }
}

TEST_F(retry_policy_test, stops_where_it_is_told_to_and_nowhere_else)
{
    options_.reconnect_stop = 1;  // ZMQ_RECONNECT_STOP_CONN_REFUSED
    EXPECT_FALSE(policy().goes_on_after(errc::connection_refused));
    EXPECT_TRUE(policy().goes_on_after(errc::timed_out));
    EXPECT_TRUE(policy().goes_on_after(ending::lost, false, true));

    options_.reconnect_stop = 2;  // ZMQ_RECONNECT_STOP_HANDSHAKE_FAILED
    EXPECT_TRUE(policy().goes_on_after(errc::connection_refused));
    EXPECT_FALSE(policy().goes_on_after(ending::lost, false, false));
    EXPECT_TRUE(policy().goes_on_after(ending::lost, true, false));

    options_.reconnect_stop = 4;  // ZMQ_RECONNECT_STOP_AFTER_DISCONNECT
    EXPECT_TRUE(policy().goes_on_after(ending::lost, true, false));
    EXPECT_FALSE(policy().goes_on_after(ending::lost, true, true));
    EXPECT_TRUE(policy().goes_on_after(ending::lost, false, true));
}

// --- many clients of one server
// -----------------------------------------------------------------------------------------

/// A client that lost its server.
class refused_client {
public:
    refused_client(const connection_options& options, std::uint32_t seed)
        : dial_({options.connect_timeout, options.handshake_ivl}),
          retry_(options, seed)
    {}

    [[nodiscard]] std::chrono::milliseconds wait() { return retry_.next_wait().value(); }
    /// Its attempt, after which it waits again.
    void is_refused()
    {
        using opened = dial_machine::opened;
        (void)dial_.resume(dial_machine::started{false, true}, {});
        const auto end = dial_.resume(opened{opened::outcome::failed, false, 3, errc::connection_refused}, {});
        ASSERT_EQ(errc::connection_refused, end.error);
        ASSERT_TRUE(retry_.goes_on_after(end.error));
    }

private:
    dial_machine dial_;
    retry_policy retry_;
};

constexpr std::uint32_t clients = 100'000;

using counts = std::vector<std::uint32_t>;

/// How many come back in each of the intervals that follow the loss, all together.
counts returns(std::chrono::milliseconds shortest, std::chrono::milliseconds longest,
               std::chrono::milliseconds interval, std::size_t intervals)
{
    connection_options options;
    options.reconnect_ivl = shortest;
    options.reconnect_ivl_max = longest;
    counts of_interval(intervals);
    const std::chrono::milliseconds until = interval * intervals;
    std::mt19937 seeds(1);
    for (std::uint32_t i = 0; i < clients; ++i) {
        refused_client one(options, std::uint32_t(seeds()));
        for (auto now = one.wait(); now < until; now += one.wait()) {
            ++of_interval[std::size_t(now / interval)];
            one.is_refused();
        }
    }
    return of_interval;
}

void expect_spread(std::span<const std::uint32_t> over)
{
    const double average = std::accumulate(over.begin(), over.end(), 0.0) / double(over.size());
    EXPECT_GT(average, 0);
    EXPECT_LT(*std::max_element(over.begin(), over.end()), 3 * average);
}

struct back_off {
    const char* name;
    std::chrono::milliseconds shortest;
    std::chrono::milliseconds longest;
};

class many_clients_test : public testing::TestWithParam<back_off> {
protected:
    const std::chrono::milliseconds shortest_ = GetParam().shortest;
    const std::chrono::milliseconds longest_ = GetParam().longest;
};

TEST_P(many_clients_test, that_lose_their_server_at_once_do_not_come_back_in_step)
{
    // Those with the longest waits have reached the maximum by then.
    std::chrono::milliseconds from{};
    for (auto step = 2 * shortest_; step < longest_; step *= 2) from += step;
    const auto interval = longest_ / 100;
    const auto before = std::size_t(from / interval) + 1;
    const counts all = returns(shortest_, longest_, interval, before + 1000);
    const std::span at_the_maximum = std::span(all).subspan(before);
    EXPECT_GE(std::accumulate(at_the_maximum.begin(), at_the_maximum.end(), 0u), 9 * clients);
    expect_spread(at_the_maximum);
}

TEST_P(many_clients_test, do_not_come_back_in_step_for_the_first_time_either)
{
    const auto interval = shortest_ / 100;
    const counts all =
        returns(shortest_, longest_, interval, std::size_t(std::min(2 * shortest_, longest_) / interval));
    EXPECT_EQ(0u, std::accumulate(all.begin(), all.begin() + 100, 0u)) << "before the interval is over";
    expect_spread(std::span(all).subspan(100));
}

INSTANTIATE_TEST_SUITE_P(all, many_clients_test,
                         testing::Values(back_off{"from_a_tenth_of_a_second_to_ten", 100ms, 10'000ms},
                                         back_off{"from_one_second_to_a_minute", 1'000ms, 60'000ms},
                                         back_off{"from_one_second_to_one_and_a_half", 1'000ms, 1'500ms}),
                         [](const testing::TestParamInfo<back_off>& row) { return row.param.name; });

// A maximum that is the interval leaves the first wait no choice.
TEST(many_clients_test, whose_interval_is_the_maximum_come_back_in_step_once)
{
    const counts all = returns(1'000ms, 1'000ms, 10ms, 1000);
    EXPECT_EQ(clients, all[100]);
    expect_spread(std::span(all).subspan(101));
}

}  // namespace
}  // namespace zlink::engine
