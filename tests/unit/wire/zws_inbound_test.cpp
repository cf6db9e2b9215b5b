// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Frames of WebSocket on their way into a lane. They come whole, cut anywhere, in fragments, with frames of WebSocket's
// own in between, and all that is none.
#include "fuzz/toy_sealing.hpp"
#include "unit/pipe/lane_fixture.hpp"
#include "wire/control_command.hpp"
#include "wire/frame_encoder.hpp"
#include "wire/zws_inbound.hpp"
#include "wire/zws_octets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::wire::test {
namespace {

using outcome = inbound::outcome;
using pipe::test::parts;
using pipe::test::pattern_of;
using messages = std::vector<parts>;

enum first_octet : std::uint8_t {
    whole = 0x82,
    begins = 0x02,
    continues = 0x00,
    ends = 0x80,
    text = 0x81,
    ping = 0x89,
    pong = 0x8a,
    close = 0x88
};

/// A frame of WebSocket, masked as a client's unless `key` is null.
std::string ws(std::uint8_t first, const std::string& payload, const char* key = "\x11\x82\x33\xf4")
{
    std::string frame(1, char(first));
    const int mask_bit = key ? 0x80 : 0;
    const std::size_t size = payload.size();
    if (size <= 125) {
        frame += char(mask_bit | int(size));
    } else if (size <= 0xffff) {
        frame += char(mask_bit | 126);
        frame += char(size >> 8);
        frame += char(size);
    } else {
        frame += char(mask_bit | 127);
        for (int shift = 56; shift >= 0; shift -= 8) frame += char(std::uint64_t(size) >> shift);
    }
    if (!key) return frame + payload;
    frame.append(key, 4);
    for (std::size_t i = 0; i < size; ++i) frame += char(payload[i] ^ key[i % 4]);
    return frame;
}

struct ws_lane final : command_handler {
    explicit ws_lane(const frame_limits& l = {}, bool client = false) : in(l, client) {}

    outcome come_once(std::string_view& octets, bool commands_too)
    {
        inbound::scratch spare;
        inbound::room to;
        EXPECT_TRUE(in.prepare(arena, lane.writer, spare, to));
        std::size_t got = 0;
        for (int i = 0; i < to.count; ++i) {
            const std::size_t n = std::min(to.pieces[i].iov_len, octets.size());
            std::memcpy(to.pieces[i].iov_base, octets.data(), n);
            octets.remove_prefix(n);
            got += n;
        }
        return in.accept(got, got == to.octets && got != 0, arena, lane.writer, spare, commands_too ? this : nullptr);
    }

    /// All of them, `step` at a time. What an application's thread leaves is looked at again, as by the I/O thread.
    outcome come(std::string_view octets, std::size_t step = std::string_view::npos, bool inline_first = false)
    {
        auto what = outcome::done;
        while (what != outcome::failed && !octets.empty()) {
            std::string_view now = octets.substr(0, step);
            octets.remove_prefix(now.size());
            while (what != outcome::failed && (!now.empty() || in.has_unread())) {
                what = come_once(now, !inline_first || in.has_unread());
            }
        }
        return what;
    }

    [[nodiscard]] bool on_command(std::span<const std::byte> body) noexcept override { return note("command ", body); }
    [[nodiscard]] bool on_ping(std::span<const std::byte> payload) noexcept override { return note("ping ", payload); }
    [[nodiscard]] bool on_close(std::span<const std::byte> code) noexcept override { return note("close ", code); }

    bool note(const char* what, std::span<const std::byte> octets)
    {
        told.push_back(what + pipe::test::text(octets.data(), octets.size()));
        return true;
    }

    receive_arena arena;
    pipe::test::joined_lane lane;
    zws_inbound in;
    std::vector<std::string> told;
};

std::string flagged(int flags, const std::string& body)
{
    return std::string(1, char(flags)) + body;
}

TEST(zws_inbound_test, takes_frames_of_every_size_however_they_are_cut)
{
    std::string masked, plain;
    messages expected;
    const auto add = [&](std::size_t size) {
        const std::string body = pattern_of(size, unsigned(size));
        masked += ws(whole, flagged(0, body));
        plain += ws(whole, flagged(0, body), nullptr);
        expected.push_back({body});
    };
    for (std::size_t size = 0; size < 300; ++size) add(size);
    for (const std::size_t size : {1000, 4096, 8191, 32767, 32768, 65533, 65534, 65535, 65536, 100'000}) add(size);
    // Headers of the lane are longer than theirs.
    for (int i = 0; i < 500; ++i) add(256 + std::size_t(i % 3));
    for (const std::size_t step :
         {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{100}, std::size_t{4096}, masked.size()}) {
        for (const bool client : {false, true}) {
            ws_lane l({}, client);
            ASSERT_EQ(outcome::done, l.come(client ? plain : masked, step)) << step;
            EXPECT_TRUE(expected == l.lane.take_all()) << step << client;
        }
    }
}

TEST(zws_inbound_test, keeps_the_parts_of_a_message_together)
{
    ws_lane l;
    EXPECT_EQ(outcome::done, l.come(ws(whole, flagged(1, "a")) + ws(whole, flagged(1, std::string(300, 'b'))) +
                                    ws(whole, flagged(0, ""))));
    EXPECT_EQ((messages{{"a", std::string(300, 'b'), ""}}), l.lane.take_all());
}

TEST(zws_inbound_test, puts_fragments_together_with_other_frames_in_between)
{
    const std::string big = pattern_of(100'000, 3);
    const std::string wire = ws(whole, flagged(1, "part")) + ws(begins, flagged(0, "frag")) + ws(ping, "p") +
                             ws(continues, "") + ws(continues, "ment") + ws(pong, "") + ws(ends, "s") + ws(begins, "") +
                             ws(continues, flagged(1, big)) + ws(ends, big) + ws(whole, flagged(0, "end")) +
                             ws(begins, flagged(2, "\5COM")) + ws(ends, "MA");
    for (const bool inline_first : {false, true}) {
        for (const std::size_t step : {std::size_t{1}, std::size_t{5}, std::size_t{1000}, wire.size()}) {
            ws_lane l;
            ASSERT_EQ(outcome::done, l.come(wire, step, inline_first)) << step;
            EXPECT_TRUE((messages{{"part", "fragments"}, {big + big, "end"}}) == l.lane.take_all()) << step;
            EXPECT_EQ((std::vector<std::string>{"ping p", "command \5COMMA"}), l.told) << step;
        }
    }
}

TEST(zws_inbound_test, tells_of_pings_commands_and_the_end)
{
    const std::string longest(125, 'x');
    const std::string wire = ws(ping, longest) + ws(whole, flagged(2, "\4DATA")) + ws(pong, "ignored") +
                             ws(close, "\3\xe8why") + ws(whole, flagged(0, "too late"));
    for (const bool inline_first : {false, true}) {
        for (const std::size_t step : {std::size_t{1}, wire.size()}) {
            ws_lane l;
            EXPECT_EQ(outcome::done, l.come(wire, step, inline_first)) << step;
            EXPECT_EQ((std::vector<std::string>{"ping " + longest, "command \4DATA", "close \3\xe8"}), l.told) << step;
            EXPECT_EQ((messages{}), l.lane.take_all());
        }
    }
}

TEST(zws_inbound_test, refuses_what_is_no_frame)
{
    const std::string good = ws(whole, flagged(0, "good"));
    const std::string masked_key = "\x11\x82\x33\xf4";
    for (const std::string& bad : {
             ws(whole, flagged(0, "x"), nullptr),                      // a client's frame without mask
             ws(text, flagged(0, "x")),                                // no binary message
             ws(0xc2, flagged(0, "x")),                                // a reserved bit: compressed
             ws(0x83, flagged(0, "x")),                                // opcodes that nobody has defined
             ws(0x8b, ""),                                             //
             ws(0x09, "x"),                                            // a control frame in pieces
             ws(ping, std::string(126, 'x')),                          // or a long one
             ws(close, "x"),                                           // half of a code
             ws(whole, ""),                                            // no flags
             ws(whole, flagged(3, "x")),                               // flags that ZWS does not have
             ws(whole, flagged(8, "x")),                               //
             ws(ends, "x"),                                            // the end of nothing
             ws(begins, flagged(0, "x")) + good,                       // a message within another
             ws(begins, "") + ws(ends, ""),                            // no flags, in two pieces
             std::string("\x82\xfe\0\x05", 4) + masked_key + "abcde",  // lengths not in their shortest form
             std::string("\x82\xff\0\0\0\0\0\0\0\x05", 10) + masked_key + "abcde",
             std::string("\x82\xff\x80\0\0\0\0\0\0\0", 10) + masked_key,  // 2^63
         }) {
        for (const std::size_t step : {std::size_t{1}, std::size_t{1000}}) {
            ws_lane l;
            EXPECT_EQ(outcome::failed, l.come(good + bad + good, step)) << testing::PrintToString(bad);
            EXPECT_EQ(errc::protocol_error, l.in.error());
            EXPECT_EQ(zmtp::handshake_error::carrier_unspecified, l.in.reason());
            l.lane.writer.rollback();
            EXPECT_EQ((messages{{"good"}}), l.lane.take_all());
        }
    }
    ws_lane client({}, true);
    EXPECT_EQ(outcome::failed, client.come(good)) << "a server's frame with a mask";
}

TEST(zws_inbound_test, a_frame_and_all_fragments_together_stay_within_the_limit)
{
    frame_limits limits;
    limits.max_msg_size = 10;
    const std::string ten = flagged(0, std::string(10, 'x')), eleven = flagged(0, std::string(11, 'x'));
    for (const std::size_t step : {std::size_t{1}, std::size_t{1000}}) {
        ws_lane good(limits);
        EXPECT_EQ(outcome::done, good.come(ws(whole, ten) + ws(begins, ten) + ws(ends, ""), step));
        EXPECT_EQ((messages{{std::string(10, 'x')}, {std::string(10, 'x')}}), good.lane.take_all());
        for (const std::string& bad : {ws(whole, eleven), ws(begins, ten) + ws(ends, "x"), ws(begins, eleven),
                                       std::string("\x82\xff\0\0\0\1\0\0\0\0aaaa", 14)}) {
            ws_lane l(limits);
            EXPECT_EQ(outcome::failed, l.come(bad, step));
            EXPECT_EQ(errc::message_too_long, l.in.error());
        }
    }
}

// Of a message nobody knows how long it becomes, of a command it is known.
TEST(zws_inbound_test, a_command_in_fragments_is_refused_before_more_is_kept_than_of_a_whole_one)
{
    const std::size_t most = frame_intake::largest_kept;
    const auto header_of = [](const std::string& frame) { return frame.substr(0, 14); };
    for (const int flags : {0, 2}) {
        const std::string first = flagged(flags, std::string(most - 2, 'x'));
        const std::string begun = ws(begins, first);
        const outcome expected = flags == 2 ? outcome::failed : outcome::done;
        for (const std::string& longer :
             {begun + header_of(ws(continues, std::string(70'000, 'x'))),
              ws(begins, "") + header_of(ws(continues, flagged(flags, std::string(most, 'x')))) + char(flags ^ 0x11),
              header_of(ws(begins, flagged(flags, std::string(most, 'x')))) + char(flags ^ 0x11)}) {
            for (const bool inline_first : {false, true}) {
                ws_lane l;
                EXPECT_EQ(expected, l.come(longer, 10'000, inline_first)) << flags;
                EXPECT_EQ(expected == outcome::failed ? errc::protocol_error : errc::none, l.in.error());
                EXPECT_TRUE(l.told.empty());
            }
        }
        ws_lane longest;
        EXPECT_EQ(outcome::done, longest.come(begun + ws(ends, "x")));
        EXPECT_EQ(flags == 2 ? 1U : 0U, longest.told.size());
    }
}

TEST(zws_octets_test, come_back_as_they_were)
{
    for (const bool client : {true, false}) {
        const auto encoder = zws_form(client).make_encoder();
        std::vector<std::byte> out;
        messages expected;
        encoder->begin();
        for (const std::size_t size : {0, 1, 124, 125, 126, 255, 256, 65534, 65535, 65536, 200'000}) {
            const std::string body = pattern_of(size, 7);
            encoder->encode({std::as_bytes(std::span(body)), false, true}, out);
            expected.push_back({body});
        }
        ws_lane l({}, !client);
        EXPECT_EQ(outcome::done, l.come(pipe::test::text(out.data(), out.size())));
        EXPECT_TRUE(expected == l.lane.take_all());
    }
}

TEST(zws_octets_test, heartbeats_become_frames_of_websocket)
{
    std::vector<std::byte> frames = control_command(control_ping, std::as_bytes(std::span("\0\0", 2)));
    for (const auto& more : {control_command(control_pong, std::as_bytes(std::span("ctx", 3))),
                             control_command(control_close, std::as_bytes(std::span("\3\xe8", 2)))}) {
        frames.insert(frames.end(), more.begin(), more.end());
    }
    zws_form(false).encode_commands(frames);
    EXPECT_EQ(ws(ping, "", nullptr) + ws(pong, "ctx", nullptr) + ws(close, "\3\xe8", nullptr),
              pipe::test::text(frames.data(), frames.size()));
}

}  // namespace
}  // namespace zlink::wire::test
