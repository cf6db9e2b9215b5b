// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pure/zws_dialog.hpp"

#include "unit/tool/dialog_told.hpp"

#include <gtest/gtest.h>
#include <string>

using namespace zlink;
using namespace zlink::tool;
using std::operator""s;

namespace {

constexpr std::string_view upgrade_request_start = "GET /feed HTTP/1.1\r\nHost: a\r\nUpgrade: WebSocket\r\n";

std::string upgrade_request(const std::string& fields = "Sec-WebSocket-Protocol: ZWS2.0/NULL,ZWS2.0\r\n")
{
    return std::string(upgrade_request_start) + fields + "\r\n";
}

std::string upgrade_answer(const std::string& protocol = "ZWS2.0/NULL")
{
    return "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nsec-websocket-protocol: " + protocol + "\r\n\r\n";
}

// The first octet of a frame; the payload; masked as a client's is.
std::string zws_frame(int first, const std::string& payload, bool masked = false)
{
    constexpr zws::mask key = 0x5a17c3f1;
    std::string octets(zws::longest_header + payload.size(), '\0');
    auto* to = reinterpret_cast<std::byte*>(octets.data());
    const std::size_t header = zws::encode_header(to, zws::opcode::binary, payload.size(), masked ? &key : nullptr);
    to[0] = std::byte(first);
    zws::copy_masked(to + header, reinterpret_cast<const std::byte*>(payload.data()), payload.size(), masked ? key : 0);
    octets.resize(header + payload.size());
    return octets;
}

std::string zws_message(const std::string& payload, bool masked = false)
{
    return zws_frame(0x82, payload, masked);
}

const std::string ready_pull = "\2\5READY\x0bSocket-Type\0\0\0\4PULL"s;

sentences told_of_zws(const std::string& first, const std::string& second, std::size_t piece = 1'000'000)
{
    return told_by<zws_dialog>(first, second, piece, std::size_t{64});
}

}  // namespace

TEST(zws_dialog_test, a_connection_in_pieces_of_any_size)
{
    const std::string client = upgrade_request() + zws_message("\2\4PING\0\x0f"s, true) + zws_message("\1one", true) +
                               zws_message("\0two"s, true) + zws_frame(0x89, "hi", true) +
                               zws_frame(0x88, "\3\350bye", true);
    const std::string server = upgrade_answer() + zws_message(ready_pull) + zws_frame(0x8a, "hi") + zws_frame(0x88, "");
    const sentences expected{
        "0 'GET /feed HTTP/1.1': asks for WebSocket, sub-protocols 'ZWS2.0/NULL,ZWS2.0'",
        "0 PING, time to live 1.5 s",
        "0 message frame, 3 octets: 'one', more follows",
        "0 message frame, 3 octets: 'two'",
        "0 WebSocket ping, 'hi'",
        "0 WebSocket close, code 1000: 'bye'",
        "1 'HTTP/1.1 101 Switching Protocols': WebSocket, sub-protocol 'ZWS2.0/NULL'",
        "1 READY: Socket-Type 'PULL'",
        "1 WebSocket pong, 'hi'",
        "1 WebSocket close",
    };
    for (const std::size_t piece : {1U, 2U, 3U, 7U, 1'000'000U}) {
        EXPECT_EQ(told_of_zws(client, server, piece), expected) << piece;
    }
}

TEST(zws_dialog_test, fragments_are_one_message)
{
    const std::string client = upgrade_request() + zws_frame(0x02, "\0he"s, true) + zws_frame(0x89, "", true) +
                               zws_frame(0x00, "l", true) + zws_frame(0x80, "lo", true);
    const auto all = told_of_zws(client, upgrade_answer());
    EXPECT_EQ(all[1], "0 WebSocket ping");
    EXPECT_EQ(all[2], "0 message frame, 5 octets: 'hello'");
}

TEST(zws_dialog_test, a_long_message_is_shown_by_its_beginning)
{
    const std::string client = upgrade_request() + zws_message("\0"s + std::string(200'000, 'z'), true);
    for (const std::size_t piece : {1000U, 65'536U, 1'000'000U}) {
        EXPECT_EQ(told_of_zws(client, upgrade_answer(), piece)[1],
                  "0 message frame, 200000 octets: '" + std::string(64, 'z') + "'...");
    }
}

TEST(zws_dialog_test, without_a_mechanism_a_routing_id_comes_first)
{
    const auto all = told_of_zws(upgrade_request() + zws_message("\0joe"s, true) + zws_message("\0hello"s, true),
                                 upgrade_answer("ZWS2.0"));
    EXPECT_EQ(all[1], "0 routing id 'joe'");
    EXPECT_EQ(all[2], "0 message frame, 5 octets: 'hello'");
}

TEST(zws_dialog_test, of_curve_the_sizes_are_told)
{
    const auto all = told_of_zws(upgrade_request("Sec-WebSocket-Protocol: ZWS2.0/CURVE\r\n") +
                                     zws_message("\2\5HELLO" + std::string(194, 'x'), true) +
                                     zws_message("\0\7MESSAGE"s + std::string(8 + 17 + 5, 'y'), true),
                                 upgrade_answer("ZWS2.0/CURVE"));
    EXPECT_EQ(all[1], "0 HELLO of CURVE, 194 octets");
    EXPECT_EQ(all[2], "0 message frame, encrypted, 5 octets");
}

TEST(zws_dialog_test, other_uses_of_web_socket_and_http_are_told)
{
    EXPECT_EQ(told_of_zws(upgrade_request("Origin: https://example.com\r\n") + zws_frame(0x81, "hey", true),
                          "HTTP/1.1 101 OK\r\n\r\n" + zws_frame(0x81, "you")),
              (sentences{"0 'GET /feed HTTP/1.1': asks for WebSocket, for a web page of 'https://example.com'",
                         "0 WebSocket message, text, 3 octets: 'hey'",
                         "1 'HTTP/1.1 101 OK': WebSocket, no sub-protocol, so this is not ZeroMQ",
                         "1 WebSocket message, text, 3 octets: 'you'"}));
    EXPECT_EQ(told_of_zws(upgrade_request() + "more", "HTTP/1.1 404 Not Found\r\n\r\nno such path")[1],
              "1 the upgrade to WebSocket is refused: 'HTTP/1.1 404 Not Found'");
    const sentences plain{"0 this is HTTP, not ZMTP ('GET / HTTP/1.1'); a web client or server",
                          "1 this is HTTP, not ZMTP ('HTTP/1.1 200 OK'); a web client or server"};
    EXPECT_EQ(told_of_zws("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n"), plain);
    EXPECT_EQ(told_of_zws("GET / HTTP/1.1\r\nHost: a\r\n", "HTTP/1.1 200 OK\r\n"), plain);  // cut off
}

TEST(zws_dialog_test, wrong_frames_end_the_decoding)
{
    EXPECT_NE(told_of_zws(upgrade_request(), upgrade_answer() + "\xc2\1x")[2].find("cannot begin with 0xc201"),
              std::string::npos);
    EXPECT_NE(told_of_zws(upgrade_request(), upgrade_answer() + zws_frame(0x80, "x"))[2].find("continues nothing"),
              std::string::npos);
    EXPECT_NE(told_of_zws(upgrade_request(), upgrade_answer() + zws_frame(0x02, "x") + zws_frame(0x82, "y"))[2].find(
                  "begins within another"),
              std::string::npos);
    EXPECT_EQ(told_of_zws(upgrade_request(), upgrade_answer() + zws_frame(0x82, "")).at(2),
              "1 WebSocket message, 0 octets; ZeroMQ sends binary messages of at least 1 octet");
    EXPECT_EQ(told_of_zws(upgrade_request(), upgrade_answer() + zws_message("\0hello"s).substr(0, 5)).at(2),
              "1 the connection ends within a message of WebSocket");
    EXPECT_EQ(told_of_zws("GET / " + std::string(10'000, 'x'), "").size(), 1U);
}

TEST(zws_dialog_test, an_answer_that_never_comes_is_not_awaited_forever)
{
    EXPECT_EQ(told_of_zws(upgrade_request() + std::string(2'000'000, 'x'), "", 10'000).at(1),
              "0 the answer to the upgrade is missing: the rest is not decoded");
}
