// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pure/connection_dialog.hpp"

#include "unit/tool/dialog_told.hpp"

#include <gtest/gtest.h>
#include <string>

using namespace zlink::tool;
using std::operator""s;

namespace {

sentences told_of_both(const std::string& first, const std::string& second, std::size_t piece = 10'000)
{
    return told_by<connection_dialog>(first, second, piece);
}

std::string whole_greeting()
{
    std::string octets = "\xff\0\0\0\0\0\0\0\1\x7f\3\1NULL"s;
    octets.resize(64);
    return octets;
}

}  // namespace

TEST(connection_dialog_test, each_side_is_what_its_first_octets_say)
{
    for (const std::size_t piece : {1U, 3U, 10'000U}) {
        EXPECT_EQ(told_of_both(whole_greeting() + "\0\2hi"s, whole_greeting(), piece),
                  (sentences{"0 greeting: ZMTP 3.1, mechanism 'NULL'", "0 message frame, 2 octets: 'hi'",
                             "1 greeting: ZMTP 3.1, mechanism 'NULL'"}));
        EXPECT_EQ(told_of_both("\x16\3\1\0\1\1"s, "HTTP/1.1 400 Bad Request\r\n\r\n", piece),
                  (sentences{"0 TLS handshake, 1 octet: ClientHello",
                             "1 this is HTTP, not ZMTP ('HTTP/1.1 400 Bad Request'); a web client or server"}));
        EXPECT_EQ(
            told_of_both("GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n", "HTTP/1.1 403 Forbidden\r\n\r\n", piece).at(1),
            "1 the upgrade to WebSocket is refused: 'HTTP/1.1 403 Forbidden'");
        EXPECT_EQ(told_of_both("\1\0\3\0hi"s, "", piece),
                  (sentences{"0 no greeting: ZMTP 1.0 (ZeroMQ 2), or something else", "0 routing id ''",
                             "0 message frame, 2 octets: 'hi'"}));
    }
}

TEST(connection_dialog_test, what_is_cut_off_is_told)
{
    EXPECT_EQ(told_of_both("\x16\3", "").at(0), "0 the connection ends within a record of TLS");
    EXPECT_EQ(told_of_both("\1\0"s, "").at(0), "0 the connection ends within the greeting, after 0x0100");
    EXPECT_EQ(told_of_both("", ""), sentences{});
    sentences all;
    connection_dialog dialog([&](int, const std::string& text) { all.push_back(text); });
    dialog.take(0, "\xff");
    dialog.lose(0, "octets are missing");
    dialog.take(0, "more");
    dialog.lose(1, "these as well");
    dialog.end(0);
    EXPECT_EQ(all, (sentences{"octets are missing", "these as well"}));
}
