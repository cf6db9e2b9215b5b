// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Command bodies.
#include "zmtp/command.hpp"

#include "unit/zmtp/octets.hpp"

#include <gtest/gtest.h>

using namespace zlink;
using namespace zlink::zmtp;
using namespace zlink::zmtp::test;

namespace {

TEST(command_test, splits_into_name_and_data)
{
    const struct {
        octets body;
        command_kind kind;
        std::string name, data;
    } cases[] = {
        {wire({5, "READY", 11, "Socket-Type"}), command_kind::ready, "READY", "\x0bSocket-Type"},
        {wire({5, "ERROR", 2, "no"}), command_kind::error, "ERROR", "\x02no"},
        {wire({9, "SUBSCRIBE", "topic"}), command_kind::subscribe, "SUBSCRIBE", "topic"},
        {wire({9, "SUBSCRIBE"}), command_kind::subscribe, "SUBSCRIBE", ""},
        {wire({6, "CANCEL", "topic"}), command_kind::cancel, "CANCEL", "topic"},
        {wire({4, "PING", "abctx"}), command_kind::ping, "PING", "abctx"},
        {wire({4, "PONG", "ctx"}), command_kind::pong, "PONG", "ctx"},
        {wire({4, "JOIN", "group"}), command_kind::join, "JOIN", "group"},
        {wire({5, "LEAVE", "group"}), command_kind::leave, "LEAVE", "group"},
        {wire({4, "MOVE", "group"}), command_kind::unknown, "MOVE", "group"},
        {wire({4, "ping"}), command_kind::unknown, "ping", ""},
        {wire({3, "PINGG"}), command_kind::unknown, "PIN", "GG"},
    };
    for (const auto& c : cases) {
        const auto parsed = parse_command(c.body);
        ASSERT_TRUE(parsed) << hex(c.body);
        EXPECT_EQ(parsed->kind, c.kind) << hex(c.body);
        EXPECT_EQ(parsed->name, c.name);
        EXPECT_EQ(text(parsed->data), c.data);
    }
}

TEST(command_test, points_into_the_body_it_was_given)
{
    const octets body = wire({9, "SUBSCRIBE", "topic"});
    const auto parsed = parse_command(body);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->data.data(), body.data() + 10);
}

TEST(command_test, name_has_to_fit_the_body)
{
    EXPECT_EQ(parse_command({}).error(), errc::protocol_error);
    EXPECT_EQ(parse_command(wire({0})).error(), errc::protocol_error);
    EXPECT_EQ(parse_command(wire({0, "READY"})).error(), errc::protocol_error);
    const octets body = wire({9, "SUBSCRIBE"});
    for (std::size_t size = 0; size < body.size(); ++size) {
        EXPECT_EQ(parse_command(std::span(body).first(size)).error(), errc::protocol_error) << size;
    }
    const octets longest = wire({255, std::string(255, 'N')});
    ASSERT_TRUE(parse_command(longest));
    EXPECT_FALSE(parse_command(std::span(longest).first(255)));
}

TEST(command_test, ping_carries_ttl_and_up_to_16_octets_of_context)
{
    const octets with_context = wire({0x01, 0x02, "0123456789abcdef"});
    const auto parsed = parse_ping(with_context);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->ttl, 258);
    EXPECT_EQ(text(parsed->context), "0123456789abcdef");

    const octets bare = wire({0, 0});
    ASSERT_TRUE(parse_ping(bare));
    EXPECT_EQ(parse_ping(bare)->ttl, 0);
    EXPECT_TRUE(parse_ping(bare)->context.empty());

    EXPECT_EQ(parse_ping({}).error(), errc::protocol_error);
    EXPECT_EQ(parse_ping(wire({0})).error(), errc::protocol_error);
}

TEST(command_test, of_a_longer_context_the_16_first_octets_count)
{
    const octets longer = wire({0, 0, "0123456789abcdefghi"});
    ASSERT_TRUE(parse_ping(longer));
    EXPECT_EQ(text(parse_ping(longer)->context), "0123456789abcdef");
}

TEST(command_test, error_reason_has_to_fit)
{
    const octets reason = wire({6, "sorry!"});
    ASSERT_TRUE(parse_error_reason(reason));
    EXPECT_EQ(*parse_error_reason(reason), "sorry!");
    ASSERT_TRUE(parse_error_reason(wire({0})));
    for (std::size_t size = 0; size < reason.size(); ++size) {
        EXPECT_EQ(parse_error_reason(std::span(reason).first(size)).error(), errc::protocol_error) << size;
    }
    const octets with_tail = wire({2, "notail"});
    EXPECT_EQ(*parse_error_reason(with_tail), "no");
}

TEST(command_test, prefixes_are_those_of_the_rfc)
{
    std::byte to[16];
    const auto written = [&to](std::size_t n) { return hex(std::span(to).first(n)); };
    EXPECT_EQ(written(encode_ready_prefix(to)), hex(wire({5, "READY"})));
    EXPECT_EQ(written(encode_subscribe_prefix(to)), hex(wire({9, "SUBSCRIBE"})));
    EXPECT_EQ(written(encode_cancel_prefix(to)), hex(wire({6, "CANCEL"})));
    EXPECT_EQ(written(encode_ping_prefix(to, 0x1234)), hex(wire({4, "PING", 0x12, 0x34})));
    EXPECT_EQ(written(encode_pong_prefix(to)), hex(wire({4, "PONG"})));
}

TEST(command_test, error_is_cut_at_255_characters)
{
    octets out;
    append_error(out, "bad");
    EXPECT_EQ(hex(out), hex(wire({5, "ERROR", 3, "bad"})));
    out.clear();
    append_error(out, std::string(300, 'x'));
    EXPECT_EQ(hex(out), hex(wire({5, "ERROR", 255, std::string(255, 'x')})));
}

TEST(command_test, frames_are_short_or_long)
{
    octets out;
    append_command_frame(out, wire({4, "PONG"}));
    EXPECT_EQ(hex(out), hex(wire({0x04, 5, 4, "PONG"})));

    out.clear();
    const octets body = wire({5, "READY", std::string(250, 'm')});
    append_command_frame(out, body);
    EXPECT_EQ(hex(out), hex(wire({0x06, zeros(6), 1, 0, body})));
}

TEST(command_test, many_frames_behind_each_other_are_rarely_moved)
{
    const octets join = wire({4, "JOIN", 5, "group"});
    octets out;
    int moves = 0;
    for (int i = 0; i < 10'000; ++i) {
        const auto before = out.capacity();
        append_command_frame(out, join);
        moves += out.capacity() != before;
    }
    EXPECT_GE(20, moves);
}

}  // namespace
