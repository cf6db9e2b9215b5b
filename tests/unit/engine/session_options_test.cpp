// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Settings of a socket on which nothing was set, as the man page of zmq_setsockopt gives them.
#include "engine/session_options.hpp"

#include "engine/connection_options.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace zlink::engine {
namespace {

using namespace std::chrono_literals;

TEST(session_options_test, marks_are_1000_messages)
{
    const session_options fresh;
    EXPECT_EQ(1000u, fresh.sndhwm);
    EXPECT_EQ(1000u, fresh.rcvhwm);
}

TEST(session_options_test, a_socket_has_neither_a_routing_id_nor_security_of_its_own)
{
    const session_options fresh;
    EXPECT_EQ("", fresh.routing_id);
    EXPECT_EQ(nullptr, fresh.security);
    EXPECT_FALSE(fresh.conflate);
    EXPECT_FALSE(fresh.raw);
}

TEST(connection_options_test, a_handshake_may_take_30_seconds_and_a_connect_as_long_as_the_system_lets_it)
{
    const connection_options fresh;
    EXPECT_EQ(30s, fresh.handshake_ivl);
    EXPECT_EQ(0ms, fresh.connect_timeout);
}

TEST(connection_options_test, reconnects_come_after_100_ms_without_a_back_off_and_after_any_failure)
{
    const connection_options fresh;
    EXPECT_EQ(100ms, fresh.reconnect_ivl);
    EXPECT_EQ(0ms, fresh.reconnect_ivl_max);
    EXPECT_EQ(0, fresh.reconnect_stop);
    EXPECT_FALSE(fresh.immediate);
}

TEST(connection_options_test, there_are_no_heartbeats_and_a_time_for_answers_would_be_their_interval)
{
    const connection_options fresh;
    EXPECT_EQ(0ms, fresh.heartbeat_ivl);
    EXPECT_EQ(0ms, fresh.heartbeat_ttl);
    EXPECT_EQ(-1ms, fresh.heartbeat_timeout);
}

TEST(connection_options_test, messages_have_any_size_and_nothing_is_said_unasked)
{
    const connection_options fresh;
    EXPECT_EQ(-1, fresh.max_msg_size);
    EXPECT_TRUE(fresh.metadata.empty());
    EXPECT_EQ("", fresh.hello_message);
    EXPECT_EQ("", fresh.hiccup_message);
}

}  // namespace
}  // namespace zlink::engine
