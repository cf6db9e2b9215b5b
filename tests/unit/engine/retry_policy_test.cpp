// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// When an endpoint is tried again, and when it is not: events in, waits out.
#include "engine/retry_policy.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <set>
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
    options_.reconnect_ivl = 0ms;
    retry_policy p = policy();
    EXPECT_EQ((waits{0ms, 0ms}), next(p, 2));
}

TEST_F(retry_policy_test, a_longest_interval_is_reached_by_doubling)
{
    options_.reconnect_ivl = 100ms;
    options_.reconnect_ivl_max = 350ms;
    retry_policy p = policy();
    EXPECT_EQ((waits{100ms, 200ms, 350ms, 350ms}), next(p, 4));
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
    (void)next(p, 3);
    p.established();
    EXPECT_EQ((waits{100ms, 200ms}), next(p, 2));
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

}  // namespace
}  // namespace zlink::engine
