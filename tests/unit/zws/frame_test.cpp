// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Headers of WebSocket's frames: what is written is read again, at every cut, and what RFC 6455 forbids is refused.
#include "zws/frame.hpp"

#include "zws/agreement.hpp"
#include "zws/close_code.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

namespace zlink::zws {
namespace {

std::vector<std::byte> octets(std::initializer_list<int> values)
{
    std::vector<std::byte> made;
    for (const int v : values) made.push_back(std::byte(v));
    return made;
}

header_state decode(const std::vector<std::byte>& from)
{
    frame_header h;
    return decode_header(from.data(), from.size(), h);
}

TEST(zws_frame_test, a_header_that_was_written_is_read_at_its_last_octet)
{
    const mask key = 0x01020304;
    for (const mask* masked : {static_cast<const mask*>(nullptr), &key}) {
        for (const std::uint64_t payload : {0ull, 125ull, 126ull, 0xffffull, 0x10000ull, (1ull << 63) - 1}) {
            std::array<std::byte, longest_header> to{};
            const std::size_t size = encode_header(to.data(), opcode::binary, payload, masked);
            EXPECT_EQ(header_size(payload, masked), size);
            frame_header h;
            for (std::size_t there = 0; there < size; ++there)
                ASSERT_EQ(header_state::partial, decode_header(to.data(), there, h)) << payload << " " << there;
            ASSERT_EQ(header_state::whole, decode_header(to.data(), size, h)) << payload;
            EXPECT_EQ(opcode::binary, h.what);
            EXPECT_TRUE(h.final);
            EXPECT_EQ(masked != nullptr, h.masked);
            EXPECT_EQ(masked ? key : 0, h.key);
            EXPECT_EQ(size, h.size);
            EXPECT_EQ(payload, h.payload);
        }
    }
}

TEST(zws_frame_test, a_length_has_its_shortest_form)
{
    EXPECT_EQ(header_state::bad, decode(octets({0x82, 126, 0, 125})));
    EXPECT_EQ(header_state::whole, decode(octets({0x82, 126, 0, 126})));
    EXPECT_EQ(header_state::bad, decode(octets({0x82, 127, 0, 0, 0, 0, 0, 0, 0xff, 0xff})));
    EXPECT_EQ(header_state::whole, decode(octets({0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0})));
    EXPECT_EQ(header_state::bad, decode(octets({0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0}))) << "2^63";
}

TEST(zws_frame_test, reserved_bits_and_undefined_opcodes_are_refused)
{
    for (const int bit : {0x40, 0x20, 0x10}) EXPECT_EQ(header_state::bad, decode(octets({0x82 | bit, 0})));
    for (const int code : {3, 4, 5, 6, 7, 11, 12, 13, 14, 15})
        EXPECT_EQ(header_state::bad, decode(octets({0x80 | code, 0}))) << code;
    for (const int code : {0, 1, 2, 8, 9, 10}) EXPECT_EQ(header_state::whole, decode(octets({0x80 | code, 0}))) << code;
}

TEST(zws_frame_test, a_control_is_short_and_in_one_piece)
{
    for (const int code : {8, 9, 10}) {
        EXPECT_EQ(header_state::whole, decode(octets({0x80 | code, 125})));
        EXPECT_EQ(header_state::bad, decode(octets({0x80 | code, 126, 0, 126})));
        EXPECT_EQ(header_state::bad, decode(octets({code, 0}))) << "not the last piece";
    }
    EXPECT_EQ(header_state::whole, decode(octets({0x02, 0}))) << "a message may be in pieces";
}

TEST(zws_frame_test, a_close_has_no_payload_or_a_code_that_may_be_sent)
{
    const auto allowed = [](const std::vector<std::byte>& payload) {
        return is_close_payload(payload.data(), payload.size());
    };
    EXPECT_TRUE(allowed({}));
    EXPECT_FALSE(allowed(octets({3}))) << "half a code";
    EXPECT_TRUE(allowed(octets({0x03, 0xe8}))) << 1000;
    EXPECT_TRUE(allowed(octets({0x03, 0xe8, 'b', 'y', 'e'})));
    EXPECT_FALSE(allowed(octets({0x03, 0xed}))) << 1005;
}

TEST(close_code_test, codes_without_a_frame_may_not_be_sent)
{
    for (const int code : {1000, 1001, 1002, 1003, 1007, 1014, 3000, 4999})
        EXPECT_TRUE(may_be_sent(std::uint16_t(code))) << code;
    for (const int code : {0, 999, 1004, 1005, 1006, 1015, 2999, 5000})
        EXPECT_FALSE(may_be_sent(std::uint16_t(code))) << code;
}

TEST(close_code_test, mistakes_of_the_peer_have_words)
{
    for (const auto code : {close_code::protocol_error, close_code::unsupported_data, close_code::too_big})
        EXPECT_NE("", mistake(code));
    for (const auto code : {close_code::none, close_code::normal, close_code::policy_violation})
        EXPECT_EQ("", mistake(code));
}

TEST(agreement_test, a_socket_that_checks_its_peers_does_not_offer_to_do_without_a_mechanism)
{
    EXPECT_EQ((std::vector<std::string>{"ZWS2.0/NULL", "ZWS2.0"}), protocols_of("NULL", false));
    EXPECT_EQ((std::vector<std::string>{"ZWS2.0/PLAIN"}), protocols_of("PLAIN", true));
}

}  // namespace
}  // namespace zlink::zws
