// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pure/tls_dialog.hpp"

#include "unit/tool/dialog_told.hpp"

#include <gtest/gtest.h>
#include <string>

using namespace zlink::tool;
using std::operator""s;

namespace {

std::string with_its_size(const std::string& text, int octets)
{
    std::string size;
    for (int shift = 8 * (octets - 1); shift >= 0; shift -= 8) size += static_cast<char>(text.size() >> shift & 0xff);
    return size + text;
}

std::string tls_record(char type, const std::string& content)
{
    return type + "\3\3"s + with_its_size(content, 2);
}

std::string client_hello()
{
    const std::string name = "\0\0"s + with_its_size(with_its_size("\0"s + with_its_size("localhost", 2), 2), 2);
    const std::string alpn = "\0\x10"s + with_its_size(with_its_size(with_its_size("http/1.1", 1), 2), 2);
    return '\1' +
           with_its_size("\3\3" + std::string(32, 'r') + with_its_size("session", 1) + with_its_size("\x13\1", 2) +
                             with_its_size("\0"s, 1) + with_its_size(name + alpn, 2),
                         3);
}

sentences told_of_tls(const std::string& first, const std::string& second = "", std::size_t piece = 100'000)
{
    return told_by<tls_dialog>(first, second, piece);
}

}  // namespace

TEST(tls_dialog_test, records_in_pieces_of_any_size)
{
    const std::string client = tls_record(22, client_hello()) + tls_record(20, "\1") +
                               tls_record(22, "sealed finished") + tls_record(23, "sealed");
    const std::string server =
        tls_record(22, "\2" + with_its_size("hello", 3) + "\x0b" + with_its_size("certificate", 3)) +
        tls_record(21, "\2\x2d") + tls_record(21, "a sealed alert");
    const sentences expected{
        "0 TLS handshake, " + std::to_string(client_hello().size()) +
            " octets: ClientHello, for 'localhost', ALPN 'http/1.1'",
        "0 TLS change of the cipher",
        "0 TLS handshake, 15 octets, encrypted",
        "0 TLS application data, 6 octets, encrypted",
        "1 TLS handshake, 24 octets: ServerHello, Certificate",
        "1 TLS alert: certificate expired",
        "1 TLS alert, 14 octets, encrypted",
    };
    for (const std::size_t piece : {1U, 4U, 6U, 100'000U}) {
        EXPECT_EQ(told_of_tls(client, server, piece), expected) << piece;
    }
}

TEST(tls_dialog_test, malformed_octets_are_no_trouble)
{
    EXPECT_EQ(told_of_tls("\x16\3\1\0\1\1"s), sentences{"0 TLS handshake, 1 octet: ClientHello"});
    const std::string hello = client_hello();
    for (std::size_t size = 1; size < hello.size(); ++size) {
        EXPECT_EQ(told_of_tls(tls_record(22, hello.substr(0, size))).size(), 1U);
    }
    EXPECT_NE(told_of_tls(tls_record(22, "") + "GET / HTTP").at(1).find("a record of TLS cannot begin with 'GET /':"),
              std::string::npos);
    EXPECT_EQ(told_of_tls("\x16\3\1\0\x20half"s), sentences{"0 the connection ends within a record of TLS"});
}
