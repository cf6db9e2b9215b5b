// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What stands before a body in each form of frames, octet by octet.
#include "unit/pipe/lane_fixture.hpp"
#include "wire/control_command.hpp"
#include "wire/frame_form.hpp"
#include "wire/zws_octets.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace zlink::wire::test {
namespace {

using pipe::test::text;

const frame_form client = &zws_form(true);
const frame_form server = &zws_form(false);

std::string begun(frame_form form, std::uint64_t body)
{
    std::array<std::byte, zws::longest_header + 1> at{};
    const std::byte* const end = begin_frame(at.data(), form, body);
    return text(at.data(), std::size_t(end - at.data()));
}

TEST(frame_form_test, the_header_has_the_size_announced)
{
    for (const frame_form form : {lane_form, client, server}) {
        for (const std::uint64_t body : {0, 1, 124, 125, 255, 256, 65534, 65535, 65536}) {
            EXPECT_EQ(header_size(form, body), begun(form, body).size()) << body << ' ' << (form == client);
        }
    }
}

TEST(frame_form_test, of_the_lane_is_a_header_of_zmtp)
{
    EXPECT_EQ(std::string("\0\3", 2), begun(lane_form, 3));
}

TEST(frame_form_test, of_a_server_is_a_message_of_websocket_with_an_octet_of_flags)
{
    EXPECT_EQ(std::string("\x82\x04\x00", 3), begun(server, 3));
    EXPECT_EQ(std::string("\x82\x7e\x00\x7e\x00", 5), begun(server, 125));
}

TEST(frame_form_test, of_a_client_is_masked_once_its_body_is_there)
{
    std::string frame = begun(client, 3) + "abc";
    ASSERT_EQ(std::string("\x82\x84"), frame.substr(0, 2));
    auto* const body = reinterpret_cast<std::byte*>(frame.data()) + header_size(client, 3);
    client->finish_frame(body, 3);
    for (std::size_t i = 0; i < 4; ++i) frame[6 + i] = char(frame[6 + i] ^ frame[2 + i]);
    EXPECT_EQ(std::string("\0abc", 4), frame.substr(6));
}

TEST(frame_form_test, only_a_client_changes_a_body_that_is_there)
{
    std::string frame = begun(server, 3) + "abc";
    server->finish_frame(reinterpret_cast<std::byte*>(frame.data()) + header_size(server, 3), 3);
    EXPECT_EQ("abc", frame.substr(frame.size() - 3));
}

TEST(frame_form_test, a_pong_becomes_one_of_websocket)
{
    std::vector<std::byte> frames = control_command(control_pong, {});
    server->encode_commands(frames);
    EXPECT_EQ(std::string("\x8a\x00", 2), text(frames.data(), frames.size()));
}

TEST(zws_octets_test, a_payload_in_two_parts_is_one)
{
    const std::string first = "ab", rest = "cdefg";
    std::vector<std::byte> plain, masked;
    append_zws_frame(plain, false, zws::opcode::ping, std::as_bytes(std::span(first)), std::as_bytes(std::span(rest)));
    EXPECT_EQ("\x89\x07"
              "abcdefg",
              text(plain.data(), plain.size()));
    append_zws_frame(masked, true, zws::opcode::ping, std::as_bytes(std::span(first)), std::as_bytes(std::span(rest)));
    std::string octets = text(masked.data(), masked.size());
    for (std::size_t i = 0; i < 7; ++i) octets[6 + i] = char(octets[6 + i] ^ octets[2 + i % 4]);
    EXPECT_EQ("abcdefg", octets.substr(6));
}

}  // namespace
}  // namespace zlink::wire::test
