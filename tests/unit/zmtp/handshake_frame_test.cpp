// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Frames of the handshake, collected from octets however they come, and refused by their headers.
#include "zmtp/handshake_frame.hpp"

#include "zmtp/http_answer.hpp"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>

namespace zlink::zmtp {
namespace {

using state = handshake_frame_reader::state;

std::span<const std::byte> octets(std::string_view text)
{
    return std::as_bytes(std::span(text));
}
std::string text(std::span<const std::byte> from)
{
    return {reinterpret_cast<const char*>(from.data()), from.size()};
}

const std::string short_frame = "\4\5hello";
const std::string long_frame = std::string("\6\0\0\0\0\0\0\1\2", 9) + std::string(258, 'x');

TEST(handshake_frame_test, is_the_same_at_every_cut)
{
    for (const std::string& frame : {short_frame, long_frame}) {
        const std::size_t header = frame == short_frame ? 2 : 9;
        for (std::size_t cut = 0; cut < frame.size(); ++cut) {
            handshake_frame_reader reader;
            ASSERT_EQ(cut, reader.advance(octets(std::string_view(frame).substr(0, cut))));
            ASSERT_EQ(state::in_progress, reader.current());
            ASSERT_EQ(frame.substr(0, cut), text(reader.octets()));
            ASSERT_EQ(frame.size() - cut, reader.advance(octets(frame.substr(cut) + "next")));
            ASSERT_EQ(state::complete, reader.current());
            ASSERT_EQ(std::uint8_t(frame[0]), reader.flags());
            ASSERT_EQ(frame.substr(header), text(reader.body()));
        }
    }
}

TEST(handshake_frame_test, an_empty_body_is_complete_with_its_header)
{
    handshake_frame_reader reader;
    EXPECT_EQ(2u, reader.advance(octets(std::string("\0\0", 2))));
    EXPECT_EQ(state::complete, reader.current());
    EXPECT_TRUE(reader.body().empty());
}

TEST(handshake_frame_test, the_next_one_follows_a_reset)
{
    handshake_frame_reader reader;
    (void)reader.advance(octets(long_frame));
    reader.reset();
    EXPECT_EQ(state::in_progress, reader.current());
    EXPECT_EQ(short_frame.size(), reader.advance(octets(short_frame)));
    EXPECT_EQ("hello", text(reader.body()));
}

TEST(handshake_frame_test, a_frame_beyond_the_limit_is_refused_by_its_header)
{
    for (const std::size_t limit : {4u, 5u}) {
        handshake_frame_reader reader;
        (void)reader.advance(octets(std::string_view(short_frame).substr(0, 2)), limit);
        EXPECT_EQ(limit == 5 ? state::in_progress : state::too_large, reader.current());
    }
    handshake_frame_reader reader;
    (void)reader.advance(octets(std::string("\6\377\377\377\377\377\377\377\377", 9)));
    EXPECT_EQ(state::too_large, reader.current());
}

TEST(handshake_frame_test, reserved_flags_are_refused)
{
    for (const char flags : {'\x08', '\x10', '\x80'}) {
        handshake_frame_reader reader;
        (void)reader.advance(octets(std::string{flags, '\0'}));
        EXPECT_EQ(state::reserved_flags, reader.current());
    }
}

TEST(http_answer_test, is_recognized_however_it_comes)
{
    const std::string answer = "HTTP/1.1 400 Bad Request";
    for (std::size_t cut = 0; cut < 5; ++cut) {
        http_answer look;
        ASSERT_EQ(0u, look.advance(octets(std::string_view(answer).substr(0, cut))));
        ASSERT_EQ(5 - cut, look.advance(octets(std::string_view(answer).substr(cut))));
        ASSERT_EQ(0u, look.advance(octets(answer))) << "once, at the beginning of the stream";
    }
}

TEST(http_answer_test, is_not_what_begins_otherwise)
{
    for (const char* other : {"HTTX/", "http/", "xHTTP/", "HTHTTP/"}) {
        http_answer look;
        EXPECT_EQ(0u, look.advance(octets(other))) << other;
        EXPECT_EQ(0u, look.advance(octets("HTTP/"))) << other;
    }
}

}  // namespace
}  // namespace zlink::zmtp
