// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/peer_condition.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace zlink::socket {
namespace {

using namespace std::chrono_literals;

TEST(peer_condition_test, holds_for_enough_peers_or_for_none_with_messages)
{
    const peer_condition two{peer_condition::kind::peers, {}, 2};
    EXPECT_FALSE(two.holds(1));
    EXPECT_TRUE(two.holds(2));
    EXPECT_TRUE(two.holds(3));
    const peer_condition drained{peer_condition::kind::drained, {}, 2};
    EXPECT_TRUE(drained.holds(0));
    EXPECT_FALSE(drained.holds(2));
}

TEST(peer_condition_test, pauses_grow_to_a_length)
{
    pause_between_looks pause;
    for (const auto expected : {1ms, 2ms, 4ms, 8ms, 8ms, 8ms}) EXPECT_EQ(expected, pause.next());
}

}  // namespace
}  // namespace zlink::socket
