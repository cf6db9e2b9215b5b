// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ZMTP 1.0 frames.
#include "zmtp/v1_framing.hpp"

#include "unit/zmtp/octets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

using namespace zlink;
using namespace zlink::zmtp;
using namespace zlink::zmtp::test;

namespace {

using state = v1_decoder::state;
using frames = std::vector<std::pair<bool, std::string>>;

/// Decodes `in` given in parts of `part` octets.
frames decode(std::span<const std::byte> in, std::size_t part, std::int64_t limit = -1)
{
    v1_decoder decoder(limit);
    frames out;
    while (!in.empty()) {
        auto now = in.first(std::min(part, in.size()));
        in = in.subspan(now.size());
        while (!now.empty()) {
            const auto step = decoder.advance(now);
            if (step.state == state::failed) {
                out.emplace_back(false, "failed");
                return out;
            }
            if (step.state == state::frame) out.emplace_back(decoder.more(), text(decoder.body()));
            if (step.state == state::need_input) {
                EXPECT_EQ(step.consumed, now.size());
            }
            now = now.subspan(step.consumed);
        }
    }
    return out;
}

TEST(v1_framing_test, length_counts_the_flags)
{
    std::byte to[v1_max_header_size];
    const auto header = [&to](bool more, std::uint64_t size) {
        return hex(std::span(to).first(encode_v1_header(to, more, size)));
    };
    EXPECT_EQ(header(false, 0), "01 00 ");
    EXPECT_EQ(header(true, 5), "06 01 ");
    EXPECT_EQ(header(false, 253), "fe 00 ");
    EXPECT_EQ(header(true, 254), "ff 00 00 00 00 00 00 00 ff 01 ");
    EXPECT_EQ(header(false, 65536), "ff 00 00 00 00 00 01 00 01 00 ");
}

TEST(v1_framing_test, decodes_frames_however_the_input_is_split)
{
    const std::string large(1000, 'L');
    const octets in = wire({6, 1, "hello", 1, 0, 0xff, zeros(6), 3, 0xe9, 1, large,  // lengths 6, 1, 1001
                            0xff, zeros(7), 3, 0, "ab", 3, 0xfe, "cd"});
    const frames expected{{true, "hello"}, {false, ""}, {true, large}, {false, "ab"}, {false, "cd"}};
    for (std::size_t part = 1; part <= in.size(); ++part) EXPECT_EQ(decode(in, part), expected) << part;
}

TEST(v1_framing_test, body_that_is_there_in_one_piece_is_not_copied)
{
    const octets in = wire({6, 0, "hello", 3, 0});
    v1_decoder decoder;
    ASSERT_EQ(decoder.advance(in).state, state::frame);
    EXPECT_EQ(decoder.body().data(), in.data() + 2);
    EXPECT_TRUE(decoder.take_body().empty());
    EXPECT_EQ(text(decoder.body()), "hello");
}

TEST(v1_framing_test, body_that_came_in_pieces_can_be_taken)
{
    const octets in = wire({6, 0, "hello"});
    v1_decoder decoder;
    ASSERT_EQ(decoder.advance(std::span(in).first(4)).state, state::need_input);
    ASSERT_EQ(decoder.advance(std::span(in).subspan(4)).state, state::frame);
    EXPECT_EQ(text(decoder.take_body()), "hello");
    EXPECT_TRUE(decoder.body().empty());
    EXPECT_EQ(decoder.advance(in).state, state::frame);
    EXPECT_EQ(text(decoder.body()), "hello");
}

TEST(v1_framing_test, length_of_zero_fails_the_stream)
{
    v1_decoder decoder;
    EXPECT_EQ(decoder.advance(wire({0, 0})).state, state::failed);
    EXPECT_EQ(decoder.error(), errc::protocol_error);
    EXPECT_EQ(decoder.advance(wire({1, 0})).state, state::failed);

    v1_decoder with_long_length;
    EXPECT_EQ(with_long_length.advance(wire({0xff, zeros(8), 0})).state, state::failed);
    EXPECT_EQ(with_long_length.error(), errc::protocol_error);
}

TEST(v1_framing_test, limit_counts_the_body_alone)
{
    EXPECT_EQ(decode(wire({6, 0, "hello"}), 1, 5), (frames{{false, "hello"}}));
    EXPECT_EQ(decode(wire({7, 0, "hello!"}), 1, 5), (frames{{false, "failed"}}));
    EXPECT_EQ(decode(wire({1, 0}), 1, 0), (frames{{false, ""}}));

    v1_decoder decoder(5);
    const auto step = decoder.advance(wire({0xff, zeros(7), 7, 0, "hello!"}));
    EXPECT_EQ(step.state, state::failed);
    EXPECT_EQ(step.consumed, 9u);  // before any octet of the body
    EXPECT_EQ(decoder.error(), errc::message_too_long);
}

TEST(v1_framing_test, huge_announcements_allocate_nothing)
{
    v1_decoder beyond;
    EXPECT_EQ(beyond.advance(wire({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0})).state, state::failed);
    EXPECT_EQ(beyond.error(), errc::message_too_long);

    v1_decoder huge;  // 2^62 octets, of which ten come
    EXPECT_EQ(huge.advance(wire({0xff, 0x40, zeros(7), 0, "ten octets"})).state, state::need_input);
    EXPECT_EQ(huge.error(), errc::none);
}

}  // namespace
