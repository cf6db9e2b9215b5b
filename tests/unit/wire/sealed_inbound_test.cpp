// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sealed frames become messages in a lane: in whatever pieces they come, each opened once, in place, all of a read
// together.
#include "wire/sealed_inbound.hpp"

#include "opening_lane.hpp"

#include <gtest/gtest.h>

#include <random>

namespace zlink::wire::test {
namespace {

using outcome = inbound::outcome;

const messages all_kinds{
    {"a"},
    {""},
    {"", "", "b"},
    {pattern_of(221), pattern_of(222), pattern_of(223), pattern_of(224)},  // long form with the overhead
    {pattern_of(254), pattern_of(255), pattern_of(256)},
    {pattern_of(300)},  // large here
    {"c", pattern_of(310), "d"},
    {pattern_of(320), pattern_of(330)},
    {"e"}};

frame_limits with_small_large_frames()
{
    frame_limits l;
    l.large_from = 300;
    return l;
}

std::size_t frames_in(const messages& all)
{
    std::size_t n = 0;
    for (const parts& m : all) n += m.size();
    return n;
}

TEST(sealed_inbound_test, takes_a_stream_split_at_any_offset)
{
    const std::string wire = sealed(encode_all(all_kinds));
    for (std::size_t offset = 0; offset <= wire.size(); ++offset) {
        opening_lane l(with_small_large_frames());
        ASSERT_EQ(outcome::done, l.come(wire.substr(0, offset))) << offset;
        ASSERT_EQ(outcome::done, l.come(wire.substr(offset))) << offset;
        ASSERT_EQ(all_kinds, l.lane.take_all()) << offset;
        ASSERT_EQ(frames_in(all_kinds), l.opened.frames);
        ASSERT_FALSE(l.in.has_unread());
    }
}

TEST(sealed_inbound_test, takes_a_stream_in_pieces_of_any_size)
{
    const messages sent{
        {pattern_of(5000), "x"}, {pattern_of(20'000)}, {pattern_of(2'000'000), pattern_of(70'000)}, {"y"}};
    const std::string wire = sealed(encode_all(all_kinds) + encode_all(sent));
    for (const bool shared : {false, true}) {
        for (const std::size_t step : {1, 7, 40, 300, 5000, 100'000}) {
            for (const std::size_t large_from : {1, 300, 32 * 1024}) {
                frame_limits limits;
                limits.large_from = large_from;
                opening_lane l(limits, shared);
                ASSERT_EQ(outcome::done, l.come(wire, step));
                messages got = l.lane.take_all();
                ASSERT_EQ(all_kinds.size() + sent.size(), got.size()) << step << " " << large_from;
                ASSERT_TRUE(std::equal(all_kinds.begin(), all_kinds.end(), got.begin())) << step << " " << large_from;
                ASSERT_TRUE(std::equal(sent.begin(), sent.end(), got.end() - long(sent.size())));
            }
        }
    }
}

TEST(sealed_inbound_test, no_read_is_larger_than_the_largest_transfer)
{
    const messages sent{{"a", "b"}, {pattern_of(300, 3)}, {pattern_of(90'000, 3)}, {"c", pattern_of(8192), "d"}};
    const std::string wire = sealed(encode_all(sent));
    for (const std::size_t most : {1, 10, 1000}) {
        frame_limits limits;
        limits.max_transfer = most;
        opening_lane l(limits);
        for (std::string_view left = wire; !left.empty() || l.in.has_unread();) {
            const std::size_t before = left.size();
            ASSERT_NE(outcome::failed, l.come_once(left));
            ASSERT_LE(before - left.size(), most);
        }
        EXPECT_TRUE(sent == l.lane.take_all());
    }
}

// Next to each other in the memory that they came into, without the octets that sealing had added.
TEST(sealed_inbound_test, small_frames_of_a_read_are_opened_in_one_call_and_lie_in_one_span)
{
    messages sent;
    for (int i = 0; i < 60; ++i) sent.push_back({pattern_of(64, std::size_t(i))});
    opening_lane l;
    l.come(sealed(encode_all(sent)));
    EXPECT_EQ(1u, l.opened.calls);
    const std::byte* next = nullptr;
    for (const parts& m : sent) {
        pipe::incoming f{};
        ASSERT_TRUE(l.lane.reader.next(f));
        EXPECT_EQ(m[0], pipe::test::text(f.data, f.size));
        EXPECT_TRUE(!next || next == f.data);
        EXPECT_EQ(l.arena.chunk(), f.owner);
        next = f.data + f.size + message::short_header_size;
        (void)l.lane.reader.pop(f);
    }
}

TEST(sealed_inbound_test, many_frames_take_few_calls)
{
    messages sent;
    for (int i = 0; i < 10'000; ++i) sent.push_back({std::to_string(i)});
    opening_lane l;
    l.come(sealed(encode_all(sent)));
    EXPECT_TRUE(sent == l.lane.take_all());
    EXPECT_EQ(10'000u, l.opened.frames);
    EXPECT_GT(10'000u / 64, l.opened.calls);
}

TEST(sealed_inbound_test, large_bodies_have_memory_of_their_own)
{
    for (const std::size_t size : {std::size_t{32 * 1024}, large_body::allocated_at_once, std::size_t{3'000'000}}) {
        opening_lane l;
        const std::string body = pattern_of(size);
        EXPECT_EQ(outcome::done, l.come(sealed(encode_all({{"before"}, {body}, {"behind"}}))));
        EXPECT_EQ(parts{"before"}, l.lane.take());
        ASSERT_TRUE(parts{body} == l.lane.take()) << size;
        EXPECT_TRUE(l.lane.last.by_reference);
        EXPECT_EQ(parts{"behind"}, l.lane.take());
    }
}

TEST(sealed_inbound_test, what_the_handshake_left_comes_first)
{
    const std::string wire = sealed(encode({"a"}) + command_frame("\4PING..") + encode({"b", pattern_of(70'000)}));
    for (const std::size_t offset : {std::size_t{1}, std::size_t{20}, std::size_t{36}, std::size_t{100}, wire.size()}) {
        opening_lane l;
        ASSERT_TRUE(l.in.feed(std::as_bytes(std::span(wire).first(offset))));
        EXPECT_TRUE(l.in.has_unread());
        std::string_view none;
        EXPECT_EQ(outcome::done, l.come_once(none));
        EXPECT_EQ(outcome::done, l.come(std::string_view(wire).substr(offset)));
        EXPECT_EQ((messages{{"a"}, {"b", pattern_of(70'000)}}), l.lane.take_all()) << offset;
        EXPECT_EQ(1u, l.commands.size());
    }
}

// What tells nothing inside of the box means nothing.
TEST(sealed_inbound_test, flags_outside_of_the_box_mean_nothing)
{
    for (const char flags : {'\0', '\1', '\4', '\5'}) {
        std::uint64_t number = 0;
        std::string wire = toy::frames(encode({"a", "b"}) + command_frame("\4PING.."), number);
        wire[0] = flags;
        opening_lane l;
        EXPECT_EQ(outcome::done, l.come(wire));
        EXPECT_EQ((messages{{"a", "b"}}), l.lane.take_all());
        EXPECT_EQ(std::vector<std::string>{"\4PING.."}, l.commands);
    }
}

TEST(sealed_inbound_test, understands_the_long_form_of_short_lengths)
{
    std::string wire = sealed(encode({"abc"}));
    wire = std::string("\2\0\0\0\0\0\0\0", 8) + wire.substr(1);
    for (std::size_t offset = 0; offset <= wire.size(); ++offset) {
        opening_lane l;
        EXPECT_EQ(outcome::done, l.come(wire.substr(0, offset)));
        EXPECT_EQ(outcome::done, l.come(wire.substr(offset)));
        EXPECT_EQ((messages{{"abc"}}), l.lane.take_all());
    }
}

// --- commands
// ---------------------------------------------------------------------------------------------------------

const std::string ping = command_frame("\4PING..");

TEST(sealed_inbound_test, gives_commands_to_their_handler_behind_the_messages_before_them)
{
    const std::string wire = sealed(ping + encode({"a"}) + encode({"b", "c"}) + ping + command_frame(pattern_of(500)) +
                                    encode({"d"}) + command_frame(""));
    for (std::size_t offset = 0; offset <= wire.size(); ++offset) {
        opening_lane l(with_small_large_frames());
        ASSERT_EQ(outcome::done, l.come(wire.substr(0, offset)));
        ASSERT_EQ(outcome::done, l.come(wire.substr(offset)));
        ASSERT_EQ((std::vector<std::string>{"\4PING..", "\4PING..", pattern_of(500), ""}), l.commands);
        ASSERT_EQ((std::vector<std::uint64_t>{0, 2, 2, 3}), l.written) << offset;
        ASSERT_EQ((messages{{"a"}, {"b", "c"}, {"d"}}), l.lane.take_all()) << offset;
    }
}

// libzmq sends PING and PONG as soon as it gets to it.
TEST(sealed_inbound_test, takes_commands_between_the_frames_of_a_message)
{
    for (const parts& message : {parts{"a", "b"}, parts{pattern_of(310), pattern_of(310)}}) {
        const std::string plain = encode(message);
        const std::string wire =
            sealed(plain.substr(0, plain.size() / 2) + ping + plain.substr(plain.size() / 2) + encode({"next"}));
        opening_lane l(with_small_large_frames());
        EXPECT_EQ(outcome::done, l.come(wire, 100));
        EXPECT_EQ(1u, l.commands.size());
        EXPECT_EQ((messages{message, {"next"}}), l.lane.take_all());
    }
}

TEST(sealed_inbound_test, takes_any_number_of_commands_between_messages)
{
    messages sent;
    std::string plain;
    for (int i = 0; i < 3000; ++i) {
        sent.push_back({std::to_string(i)});
        plain += encode(sent.back()) + command_frame("c");
    }
    opening_lane l;
    EXPECT_EQ(outcome::done, l.come(sealed(plain)));
    EXPECT_EQ(3000u, l.commands.size());
    EXPECT_EQ(sent, l.lane.take_all());
}

// A thread that handles none leaves them to another, opened as they are: nothing can be opened again.
TEST(sealed_inbound_test, hands_over_at_a_command_when_there_is_no_handler)
{
    for (const std::string& command : {ping, command_frame(pattern_of(400))}) {
        const parts last{"c", pattern_of(400)};
        const std::string before = sealed(encode({"a"}) + command);
        const std::string wire = sealed(encode({"a"}) + command + encode({"b"}) + ping + encode(last));
        for (std::size_t offset = 1; offset <= wire.size(); ++offset) {
            opening_lane l(with_small_large_frames());
            auto what = outcome::done;
            for (std::string_view now = std::string_view(wire).substr(0, offset); !now.empty();) {
                what = l.come_once(now, false);
                ASSERT_NE(outcome::failed, what);
            }
            ASSERT_EQ(offset >= before.size(), what == outcome::command) << offset;
            ASSERT_EQ(what == outcome::command, l.in.has_unread());
            ASSERT_TRUE(l.commands.empty());
            std::string_view none;
            if (what == outcome::command) {
                // Still so: it is kept.
                const std::uint64_t opened = l.opened.frames;
                ASSERT_EQ(outcome::command, l.come_once(none, false));
                ASSERT_EQ(opened, l.opened.frames);
                ASSERT_EQ((messages{{"a"}}), l.lane.take_all());
                ASSERT_EQ(outcome::done, l.come_once(none));
            }
            ASSERT_EQ(outcome::done, l.come(std::string_view(wire).substr(offset)));
            ASSERT_EQ(2u, l.commands.size());
            messages got = l.lane.take_all();
            if (what != outcome::command) got.erase(got.begin());
            ASSERT_EQ((messages{{"b"}, last}), got) << offset;
        }
    }
}

TEST(sealed_inbound_test, ends_when_the_handler_says_so)
{
    struct refusing final : command_handler {
        bool on_command(std::span<const std::byte>) noexcept override { return false; }
    } handler;
    for (const std::string& command : {ping, command_frame(pattern_of(400))}) {
        const std::string wire = sealed(encode({"a"}) + command + encode({"b"}));
        opening_lane l(with_small_large_frames());
        auto what = outcome::done;
        for (std::size_t at = 0; at < wire.size() && what != outcome::failed;) {
            inbound::scratch spare;
            inbound::room to;
            ASSERT_TRUE(l.in.prepare(l.arena, l.lane.writer, spare, to));
            const std::size_t n = std::min({to.pieces[0].iov_len, wire.size() - at, std::size_t{200}});
            std::memcpy(to.pieces[0].iov_base, wire.data() + at, n);
            at += n;
            what = l.in.accept(n, false, l.arena, l.lane.writer, spare, &handler);
        }
        EXPECT_EQ(outcome::failed, what);
        EXPECT_EQ(errc::protocol_error, l.in.error());
        EXPECT_EQ((messages{{"a"}}), l.lane.take_all());
    }
}

}  // namespace
}  // namespace zlink::wire::test
