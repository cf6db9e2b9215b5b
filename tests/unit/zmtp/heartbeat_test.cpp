// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Heartbeat timing, with time made up by the tests.
#include "zmtp/heartbeat.hpp"

#include "unit/zmtp/octets.hpp"

#include <gtest/gtest.h>

using namespace zlink::zmtp;
using namespace zlink::zmtp::test;
using namespace std::chrono_literals;

namespace {

using action = heartbeat::action;

constexpr heartbeat::time_point start{1000h};

TEST(heartbeat_test, is_silent_without_an_interval)
{
    heartbeat h({}, start);
    EXPECT_FALSE(h.next_deadline());
    EXPECT_EQ(h.on_timer(start + 1000h), action::nothing);
}

TEST(heartbeat_test, pings_once_each_interval)
{
    heartbeat h({.ivl = 100ms, .timeout = 0ms}, start);
    EXPECT_EQ(h.next_deadline(), start + 100ms);
    EXPECT_EQ(h.on_timer(start + 99ms), action::nothing);
    EXPECT_EQ(h.on_timer(start + 100ms), action::send_ping);
    EXPECT_EQ(h.on_timer(start + 100ms), action::nothing);
    EXPECT_EQ(h.next_deadline(), start + 200ms);
    EXPECT_EQ(h.on_timer(start + 250ms), action::send_ping);  // late: the next one counts from now
    EXPECT_EQ(h.next_deadline(), start + 350ms);
}

TEST(heartbeat_test, ping_carries_the_ttl_in_tenths_of_a_second)
{
    const auto ping_with = [](std::chrono::milliseconds ttl) {
        return hex(heartbeat({.ivl = 1s, .ttl = ttl}, start).ping_frame());
    };
    EXPECT_EQ(ping_with(0ms), hex(wire({0x04, 7, 4, "PING", 0, 0})));
    EXPECT_EQ(ping_with(99ms), hex(wire({0x04, 7, 4, "PING", 0, 0})));
    EXPECT_EQ(ping_with(25800ms), hex(wire({0x04, 7, 4, "PING", 1, 2})));
    EXPECT_EQ(ping_with(6553599ms), hex(wire({0x04, 7, 4, "PING", 0xff, 0xff})));
    EXPECT_EQ(ping_with(100h), hex(wire({0x04, 7, 4, "PING", 0xff, 0xff})));
    EXPECT_EQ(ping_with(-1s), hex(wire({0x04, 7, 4, "PING", 0, 0})));
}

TEST(heartbeat_test, the_answer_to_the_only_ping_tells_the_round_trip)
{
    heartbeat h({.ivl = 100ms, .timeout = 0ms}, start);
    EXPECT_EQ(h.on_pong(start + 50ms), std::nullopt) << "none was asked for";
    EXPECT_EQ(h.on_timer(start + 100ms), action::send_ping);
    EXPECT_EQ(h.on_pong(start + 103ms), 3ms);
    EXPECT_EQ(h.on_pong(start + 104ms), std::nullopt);
}

TEST(heartbeat_test, a_round_trip_begins_when_the_ping_has_left)
{
    heartbeat h({.ivl = 100ms, .timeout = 50ms}, start);
    EXPECT_EQ(h.on_timer(start + 100ms), action::send_ping);
    h.on_ping_progress(start + 130ms, true);
    EXPECT_EQ(h.on_pong(start + 135ms), 5ms);
}

TEST(heartbeat_test, an_answer_that_two_pings_may_have_tells_no_round_trip)
{
    heartbeat h({.ivl = 100ms, .timeout = 0ms}, start);
    EXPECT_EQ(h.on_timer(start + 100ms), action::send_ping);
    EXPECT_EQ(h.on_timer(start + 200ms), action::send_ping);
    EXPECT_EQ(h.on_pong(start + 201ms), std::nullopt) << "of the first or the second";
    EXPECT_EQ(h.on_timer(start + 300ms), action::send_ping);
    EXPECT_EQ(h.on_pong(start + 301ms), std::nullopt) << "the second may have been late";
    EXPECT_EQ(h.on_pong(start + 302ms), 2ms);
    EXPECT_EQ(h.on_timer(start + 400ms), action::send_ping);
    EXPECT_EQ(h.on_pong(start + 404ms), 4ms);
}

TEST(heartbeat_test, silence_after_a_ping_times_out)
{
    heartbeat h({.ivl = 100ms, .timeout = 50ms}, start);
    EXPECT_EQ(h.on_timer(start + 100ms), action::send_ping);
    EXPECT_EQ(h.next_deadline(), start + 150ms);
    EXPECT_EQ(h.on_timer(start + 149ms), action::nothing);
    EXPECT_EQ(h.on_timer(start + 150ms), action::timed_out);
}

TEST(heartbeat_test, timeout_is_the_interval_unless_set)
{
    heartbeat h({.ivl = 100ms}, start);
    EXPECT_EQ(h.on_timer(start + 100ms), action::send_ping);
    EXPECT_EQ(h.on_timer(start + 200ms), action::timed_out);
}

TEST(heartbeat_test, any_traffic_lifts_the_timeout)
{
    heartbeat h({.ivl = 100ms, .timeout = 50ms}, start);
    EXPECT_EQ(h.on_timer(start + 100ms), action::send_ping);
    h.on_activity(start + 149ms);
    EXPECT_EQ(h.on_timer(start + 150ms), action::nothing);
    EXPECT_EQ(h.next_deadline(), start + 200ms);
    EXPECT_EQ(h.on_timer(start + 200ms), action::send_ping);
    EXPECT_EQ(h.on_timer(start + 250ms), action::timed_out);
}

TEST(heartbeat_test, timeout_longer_than_the_interval_counts_from_the_first_unanswered_ping)
{
    heartbeat h({.ivl = 100ms, .timeout = 250ms}, start);
    EXPECT_EQ(h.on_timer(start + 100ms), action::send_ping);
    EXPECT_EQ(h.on_timer(start + 200ms), action::send_ping);
    EXPECT_EQ(h.on_timer(start + 300ms), action::send_ping);
    EXPECT_EQ(h.on_timer(start + 349ms), action::nothing);
    EXPECT_EQ(h.on_timer(start + 350ms), action::timed_out);
}

TEST(heartbeat_test, ping_that_cannot_leave_yet_sets_its_limit_later)
{
    heartbeat h({.ivl = 100ms, .timeout = 50ms}, start);
    EXPECT_EQ(h.timeout(), 50ms);
    h.on_ping_progress(start + 50ms, false);
    EXPECT_EQ(h.next_deadline(), start + 100ms);  // there was none
    EXPECT_EQ(h.on_timer(start + 100ms), action::send_ping);
    h.on_ping_progress(start + 110ms, false);
    h.on_ping_progress(start + 140ms, true);
    h.on_ping_progress(start + 150ms, true);  // another one's
    EXPECT_EQ(h.on_timer(start + 189ms), action::nothing);
    EXPECT_EQ(h.on_timer(start + 190ms), action::timed_out);
}

TEST(heartbeat_test, activity_reported_late_does_not_lift_limits_set_after_it)
{
    heartbeat h({.ivl = 100ms, .timeout = 50ms}, start);
    EXPECT_EQ(h.on_timer(start + 100ms), action::send_ping);
    h.on_activity(start + 99ms);
    EXPECT_EQ(h.on_timer(start + 150ms), action::timed_out);
}

TEST(heartbeat_test, answers_ping_with_its_context)
{
    heartbeat h({}, start);
    EXPECT_EQ(hex(h.on_ping(0, {}, start).bytes()), hex(wire({0x04, 5, 4, "PONG"})));
    EXPECT_EQ(hex(h.on_ping(0, wire({"ctx"}), start).bytes()), hex(wire({0x04, 8, 4, "PONG", "ctx"})));
    EXPECT_EQ(hex(h.on_ping(0, wire({"0123456789abcdef"}), start).bytes()),
              hex(wire({0x04, 21, 4, "PONG", "0123456789abcdef"})));
    EXPECT_EQ(hex(h.on_ping(0, wire({"0123456789abcdefgh"}), start).bytes()),
              hex(wire({0x04, 21, 4, "PONG", "0123456789abcdef"})));
    EXPECT_FALSE(h.next_deadline());
}

TEST(heartbeat_test, ttl_of_the_peer_ends_the_connection_when_it_falls_silent)
{
    heartbeat h({}, start);
    (void)h.on_ping(65535, {}, start);
    EXPECT_EQ(h.next_deadline(), start + 6553500ms);
    EXPECT_EQ(h.on_timer(start + 6553499ms), action::nothing);
    EXPECT_EQ(h.on_timer(start + 6553500ms), action::timed_out);
}

TEST(heartbeat_test, traffic_lifts_the_ttl_until_the_next_ping)
{
    heartbeat h({}, start);
    (void)h.on_ping(3, {}, start);
    h.on_activity(start + 100ms);
    EXPECT_FALSE(h.next_deadline());
    (void)h.on_ping(3, {}, start + 200ms);
    EXPECT_EQ(h.next_deadline(), start + 500ms);
    (void)h.on_ping(0, {}, start + 400ms);  // activity too, and no ttl of its own
    EXPECT_FALSE(h.next_deadline());
}

TEST(heartbeat_test, two_ends_keep_each_other_alive)
{
    heartbeat a({.ivl = 100ms, .ttl = 300ms, .timeout = 50ms}, start);
    heartbeat b({}, start);
    auto now = start;
    for (int i = 0; i < 20; ++i) {
        now += 100ms;
        ASSERT_EQ(b.on_timer(now), action::nothing);
        ASSERT_EQ(a.on_timer(now), action::send_ping);
        const auto sent = parse_command(a.ping_frame().subspan(2));
        const auto received = parse_ping(sent->data);
        ASSERT_TRUE(received);
        (void)b.on_ping(received->ttl, received->context, now + 10ms);
        a.on_activity(now + 20ms);
    }
    EXPECT_EQ(b.on_timer(now + 310ms), action::timed_out);  // a falls silent
}

}  // namespace
