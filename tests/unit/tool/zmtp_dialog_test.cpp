// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pure/zmtp_dialog.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using zlink::tool::zmtp_dialog;

namespace {

using std::operator""s;
using sentences = std::vector<std::string>;

std::string greeting(const std::string& mechanism, bool server = false)
{
    std::string octets = "\xff\0\0\0\0\0\0\0\1\x7f\3\1"s + mechanism;
    octets.resize(32);
    octets += server ? '\1' : '\0';
    octets.resize(64);
    return octets;
}

std::string frame(char flags, const std::string& body)
{
    return std::string{flags, static_cast<char>(body.size())} + body;
}

std::string command(const std::string& name, const std::string& rest)
{
    return frame(4, static_cast<char>(name.size()) + name + rest);
}

std::string property(const std::string& name, const std::string& value)
{
    return static_cast<char>(name.size()) + name + "\0\0\0"s + static_cast<char>(value.size()) + value;
}

// What is said of both sides' octets, given in pieces of so many in turn, with "0 " or "1 " before each.
sentences told(const std::string& first, const std::string& second, std::size_t piece = 10'000, bool ends = false)
{
    sentences all;
    zmtp_dialog dialog([&](int side, const std::string& text) { all.push_back(std::to_string(side) + ' ' + text); });
    for (std::size_t at = 0; at < std::max(first.size(), second.size()); at += piece) {
        if (at < first.size()) dialog.take(0, std::string_view(first).substr(at, piece));
        if (at < second.size()) dialog.take(1, std::string_view(second).substr(at, piece));
    }
    if (ends) {
        dialog.end(0);
        dialog.end(1);
    }
    std::ranges::stable_sort(all, {}, [](const std::string& line) { return line[0]; });
    return all;
}

}  // namespace

TEST(zmtp_dialog_test, a_connection_of_zmtp_3_in_pieces_of_any_size)
{
    const std::string client = greeting("NULL") +
                               command("READY", property("Socket-Type", "DEALER") + property("Identity", "joe")) +
                               frame(1, "one") + frame(0, "") + command("PING", "\0\x0f"s + "abc");
    const std::string server =
        greeting("NULL") + command("READY", property("Socket-Type", "ROUTER")) + command("PONG", "abc");
    const sentences expected{
        "0 greeting: ZMTP 3.1, mechanism 'NULL'",
        "0 READY: Socket-Type 'DEALER', Identity 'joe'",
        "0 message frame, 3 octets: 'one', more follows",
        "0 message frame, 0 octets",
        "0 PING, time to live 1.5 s, context 'abc'",
        "1 greeting: ZMTP 3.1, mechanism 'NULL'",
        "1 READY: Socket-Type 'ROUTER'",
        "1 PONG, context 'abc'",
    };
    for (const std::size_t piece : {1U, 2U, 3U, 7U, 10'000U}) {
        EXPECT_EQ(told(client, server, piece, true), expected) << piece;
    }
}

TEST(zmtp_dialog_test, subscriptions_of_both_forms)
{
    const std::string sub = greeting("NULL") + command("READY", property("Socket-Type", "SUB")) +
                            frame(0, "\1weather") + frame(0, "\0weather"s) + command("SUBSCRIBE", "news") +
                            command("CANCEL", "");
    const auto all = told(sub, greeting("NULL"));
    EXPECT_EQ(sentences(all.begin() + 2, all.begin() + 6),
              (sentences{"0 subscribe 'weather'", "0 cancel 'weather'", "0 SUBSCRIBE 'news'", "0 CANCEL ''"}));
}

TEST(zmtp_dialog_test, passwords_of_plain_are_left_out)
{
    const auto all =
        told(greeting("PLAIN") + command("HELLO", "\5alice\6secret"), greeting("PLAIN", true) + command("WELCOME", ""));
    EXPECT_EQ(all,
              (sentences{"0 greeting: ZMTP 3.1, mechanism 'PLAIN'", "0 HELLO of PLAIN: user 'alice', with a password",
                         "1 greeting: ZMTP 3.1, mechanism 'PLAIN', as server", "1 WELCOME"}));
}

TEST(zmtp_dialog_test, of_curve_the_sizes_are_told)
{
    const auto all = told(greeting("CURVE") + command("HELLO", std::string(194, 'x')) +
                              frame(0, "\7MESSAGE" + std::string(8 + 17 + 5, 'y')),
                          greeting("CURVE", true) + command("ERROR", "\7refused"));
    EXPECT_EQ(all[1], "0 HELLO of CURVE, 194 octets");
    EXPECT_EQ(all[2], "0 message frame, encrypted, 5 octets");
    EXPECT_EQ(all[4], "1 ERROR: 'refused'");
}

TEST(zmtp_dialog_test, a_long_frame_is_shown_by_its_beginning)
{
    std::string octets = greeting("NULL") + "\2\0\0\0\0\0\3\0\0"s + std::string(3 * 65536, 'z') + frame(0, "end");
    for (const std::size_t piece : {1000U, 65536U, 1'000'000U}) {
        const auto all = told(octets, greeting("NULL"), piece);
        EXPECT_EQ(all[1], "0 message frame, 196608 octets: '" + std::string(64, 'z') + "'...");
        EXPECT_EQ(all[2], "0 message frame, 3 octets: 'end'");
    }
}

TEST(zmtp_dialog_test, a_peer_of_zmtp_2_decides_for_both)
{
    const std::string old = "\xff\0\0\0\0\0\0\0\1\x7f\1\2\0\3joe\0\2hi"s;
    const std::string newer = "\xff\0\0\0\0\0\0\0\1\x7f\3\1\0\0"s;
    EXPECT_EQ(
        told(old, newer),
        (sentences{"0 greeting: ZMTP 2.0, socket type SUB", "0 routing id 'joe'", "0 message frame, 2 octets: 'hi'",
                   "1 greeting: ZMTP 2.0 (it also speaks 3), socket type PUB", "1 routing id ''"}));
}

TEST(zmtp_dialog_test, a_peer_of_zmtp_1_decides_for_both)
{
    const std::string old = "\1\0\3\1hi\4\0you"s;
    const std::string newer = "\xff\0\0\0\0\0\0\0\1\x7f\2\0x"s;
    EXPECT_EQ(told(old, newer),
              (sentences{"0 no greeting: ZMTP 1.0 (ZeroMQ 2), or something else", "0 routing id ''",
                         "0 message frame, 2 octets: 'hi', more follows", "0 message frame, 3 octets: 'you'",
                         "1 routing id ''", "1 message frame, 1 octet: 'x'"}));
}

TEST(zmtp_dialog_test, other_protocols_are_named)
{
    EXPECT_NE(told("SSH-2.0-x\r\n", "")[0].find("SSH"), std::string::npos);
    const auto flags = told(greeting("NULL") + "\x80\x01x", greeting("NULL"));
    EXPECT_NE(flags[1].find("cannot begin with 0x80"), std::string::npos);
}

TEST(zmtp_dialog_test, what_is_cut_off_is_told)
{
    EXPECT_EQ(told("\xff\0\0"s, "", 100, true).at(0), "0 the connection ends within the greeting, after 0xff0000");
    const auto all = told(greeting("NULL") + "\0\5ab"s, greeting("NULL"), 100, true);
    EXPECT_EQ(all[1], "0 the connection ends within a frame: 3 of 5 octets are missing");
}

TEST(zmtp_dialog_test, malformed_commands_are_no_trouble)
{
    const auto all =
        told(greeting("NULL") + command("READY", "\x0bSocket-Type\xff\xff\xff\xff") + frame(4, "") + frame(4, "\5ab") +
                 command("PING", "\1") + command("ERROR", "\xff") + command("ODD", "abc"),
             greeting("NULL"));
    EXPECT_EQ(sentences(all.begin() + 1, all.begin() + 7),
              (sentences{"0 READY: then malformed metadata", "0 malformed command: ''", "0 malformed command: 0x056162",
                         "0 PING, malformed", "0 ERROR: malformed", "0 command 'ODD', 3 octets"}));
}
