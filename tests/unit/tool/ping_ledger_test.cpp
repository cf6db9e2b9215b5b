// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pure/ping_ledger.hpp"

#include <gtest/gtest.h>

using zlink::tool::ping_ledger;

TEST(ping_ledger_test, an_answer_belongs_to_its_ping_in_any_order)
{
    ping_ledger pings(64, 7);
    const std::string first = pings.send(1'000);
    const std::string second = pings.send(2'000);
    EXPECT_EQ(first.size(), 64U);
    EXPECT_NE(first, second);
    const auto late = pings.receive(second, 2'500);
    const auto early = pings.receive(first, 4'000);
    ASSERT_TRUE(late && early);
    EXPECT_EQ(late->number, 2U);
    EXPECT_EQ(late->took, 500U);
    EXPECT_TRUE(late->same);
    EXPECT_EQ(early->number, 1U);
    EXPECT_EQ(early->took, 3'000U);
    EXPECT_EQ(pings.under_way(), 0U);
    EXPECT_EQ(pings.times().count(), 2U);
}

TEST(ping_ledger_test, an_answer_of_other_words_belongs_to_the_oldest_ping)
{
    ping_ledger pings(ping_ledger::smallest, 7);
    pings.send(1'000);
    pings.send(2'000);
    const auto answer = pings.receive("it is late", 3'000);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->number, 1U);
    EXPECT_FALSE(answer->same);
}

TEST(ping_ledger_test, a_second_answer_and_one_of_another_run_belong_to_none)
{
    ping_ledger pings(64, 7);
    const std::string ping = pings.send(1'000);
    EXPECT_TRUE(pings.receive(ping, 2'000));
    EXPECT_FALSE(pings.receive(ping, 3'000));
    EXPECT_FALSE(pings.receive("", 3'000));
    ping_ledger others(64, 8);
    others.send(1'000);
    EXPECT_FALSE(others.receive(ping, 3'000)->same);
}

TEST(ping_ledger_test, a_ping_without_an_answer_is_lost_once)
{
    ping_ledger pings(64, 7);
    const std::string ping = pings.send(1'000);
    EXPECT_FALSE(pings.lose_before(1'000));
    EXPECT_EQ(pings.lose_before(1'001), 1U);
    EXPECT_FALSE(pings.lose_before(9'000));
    EXPECT_FALSE(pings.receive(ping, 9'000));
    EXPECT_EQ(pings.lost(), 1U);
}
