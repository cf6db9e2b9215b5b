// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Octets of streams that are not ZMTP 2.0 or later become messages of a lane.
#include "wire/frame_decoder.hpp"

#include "unit/pipe/lane_fixture.hpp"
#include "wire/frame_encoder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace zlink::wire {
namespace {

using pipe::test::joined_lane;
using pipe::test::nothing;
using pipe::test::parts;
using pipe::test::pattern_of;

std::span<const std::byte> octets(std::string_view text)
{
    return {pipe::test::bytes(text), text.size()};
}

std::string in_zmtp1(const std::vector<parts>& messages)
{
    const auto how = make_zmtp1_encoder();
    std::vector<std::byte> wire;
    for (const parts& m : messages) {
        for (std::size_t i = 0; i < m.size(); ++i) how->encode({octets(m[i]), i + 1 < m.size(), i == 0}, wire);
    }
    return pipe::test::text(wire.data(), wire.size());
}

TEST(frame_decoder_test, zmtp1_messages_come_in_whatever_pieces)
{
    const std::vector<parts> messages{{"one"}, {"", "two", pattern_of(300)}, {pattern_of(20'000)}, {""}, {"a", "b"}};
    const std::string wire = in_zmtp1(messages);
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{255}, wire.size()}) {
        joined_lane lane;
        const auto how = make_zmtp1_decoder(-1);
        for (std::size_t at = 0; at < wire.size(); at += step) {
            ASSERT_EQ(errc::none, how->accept(octets(std::string_view(wire).substr(at, step)), lane.writer));
        }
        EXPECT_EQ(messages, lane.take_all()) << step;
    }
}

TEST(frame_decoder_test, a_message_is_seen_with_its_last_octet)
{
    joined_lane lane;
    const auto how = make_zmtp1_decoder(-1);
    const std::string wire = in_zmtp1({{"first", "last"}});
    for (std::size_t i = 0; i < wire.size(); ++i) {
        EXPECT_FALSE(lane.reader.readable()) << i;
        ASSERT_EQ(errc::none, how->accept(octets(wire.substr(i, 1)), lane.writer));
    }
    EXPECT_EQ((parts{"first", "last"}), lane.take());
}

TEST(frame_decoder_test, nothing_comes_of_no_octets)
{
    joined_lane lane;
    const auto how = make_zmtp1_decoder(-1);
    EXPECT_EQ(errc::none, how->accept({}, lane.writer));
    EXPECT_FALSE(lane.reader.readable());
}

TEST(frame_decoder_test, a_body_above_the_limit_ends_the_stream)
{
    joined_lane lane;
    const auto how = make_zmtp1_decoder(10);
    ASSERT_EQ(errc::none, how->accept(octets(in_zmtp1({{"ten octets"}})), lane.writer));
    EXPECT_EQ(errc::message_too_long, how->accept(octets(in_zmtp1({{"and 11 here"}})), lane.writer));
    EXPECT_EQ(parts{"ten octets"}, lane.take());
    EXPECT_FALSE(lane.reader.readable());
}

TEST(frame_decoder_test, a_length_that_has_no_room_for_the_flags_ends_the_stream)
{
    joined_lane lane;
    const auto how = make_zmtp1_decoder(-1);
    EXPECT_EQ(errc::protocol_error, how->accept(octets(std::string_view("\0\0", 2)), lane.writer));
}

TEST(frame_decoder_test, raw_octets_are_a_message_as_they_come)
{
    joined_lane lane;
    const auto how = make_raw_decoder();
    ASSERT_EQ(errc::none, how->accept(octets("GET /"), lane.writer));
    ASSERT_EQ(errc::none, how->accept(octets(" HTTP/1.0"), lane.writer));
    EXPECT_EQ((std::vector<parts>{{"GET /"}, {" HTTP/1.0"}}), lane.take_all());
}

TEST(frame_decoder_test, without_memory_the_stream_is_over_and_nothing_is_seen)
{
    for (const bool raw : {false, true}) {
        joined_lane lane;
        const auto how = raw ? make_raw_decoder() : make_zmtp1_decoder(-1);
        const std::string wire = raw ? pattern_of(100'000) : in_zmtp1({{pattern_of(5000)}, {pattern_of(5000)}});
        {
            const pipe::lane_writer_test_access no_memory(lane.writer);
            EXPECT_EQ(errc::out_of_memory, how->accept(octets(wire), lane.writer)) << raw;
        }
        lane.writer.rollback();
        EXPECT_FALSE(lane.reader.readable());
    }
}

}  // namespace
}  // namespace zlink::wire
