// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The ZMTP 3.x frame header (RFC 37 section 2.3) as literal octets.
#include "message/frame_header.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace zlink::message {
namespace {

std::vector<int> encoded(std::uint8_t flags, std::uint64_t size)
{
    std::byte to[long_header_size + 1];
    std::memset(to, 0xee, sizeof to);
    const std::size_t n = encode_header(to, flags, size);
    EXPECT_EQ(n, header_size(size));
    EXPECT_EQ(std::byte{0xee}, to[n]);
    std::vector<int> octets;
    for (std::size_t i = 0; i < n; ++i) octets.push_back(int(to[i]));
    return octets;
}

using octets = std::vector<int>;

TEST(frame_header_test, short_frames_have_one_octet_of_length)
{
    EXPECT_EQ((octets{0, 0}), encoded(0, 0));
    EXPECT_EQ((octets{1, 1}), encoded(flag_more, 1));
    EXPECT_EQ((octets{4, 254}), encoded(flag_command, 254));
    EXPECT_EQ((octets{0, 255}), encoded(0, 255));
}

TEST(frame_header_test, long_frames_have_eight)
{
    EXPECT_EQ((octets{2, 0, 0, 0, 0, 0, 0, 1, 0}), encoded(0, 256));
    EXPECT_EQ((octets{3, 0, 0, 0, 0, 0, 1, 0, 0}), encoded(flag_more, 65536));
    EXPECT_EQ((octets{6, 0, 0, 0, 1, 2, 3, 4, 5}), encoded(flag_command, 0x0102030405));
    EXPECT_EQ((octets{2, 0x7f, 255, 255, 255, 255, 255, 255, 255}), encoded(0, (std::uint64_t{1} << 63) - 1));
}

TEST(frame_header_test, is_read_as_it_was_written)
{
    const std::uint64_t sizes[] = {0, 1, 254, 255, 256, 257, 65535, 65536, 0xffffffff, 0x100000000, 1ull << 62};
    for (const std::uint64_t size : sizes) {
        for (const std::uint8_t flags : {0, int(flag_more), int(flag_command)}) {
            std::byte wire[long_header_size];
            const std::size_t n = encode_header(wire, flags, size);
            const frame_header h = decode_header(wire);
            EXPECT_EQ(n, h.size);
            EXPECT_EQ(size, h.body_size);
            EXPECT_EQ(flags, h.flags & ~flag_long);
            EXPECT_EQ(size > max_short_body, (h.flags & flag_long) != 0);
        }
    }
}

// A peer may use the long form for any frame.
TEST(frame_header_test, the_long_form_of_a_short_length_is_understood)
{
    const std::byte wire[] = {std::byte{2}, {}, {}, {}, {}, {}, {}, {}, std::byte{5}};
    const frame_header h = decode_header(wire);
    EXPECT_EQ(long_header_size, h.size);
    EXPECT_EQ(5u, h.body_size);
}

}  // namespace
}  // namespace zlink::message
