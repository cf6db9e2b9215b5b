// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Dialogs with a SOCKS5 proxy, as scripts of octets (RFC 1928, RFC 1929), in pieces of any size, and each way in which
// they fail.
#include "socks/dialog.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zlink::socks::test {
namespace {

using state = dialog::state;
using namespace std::string_literals;

std::span<const std::byte> octets(std::string_view text)
{
    return std::as_bytes(std::span(text));
}

/// What is written next, which goes.
std::string said(dialog& d)
{
    const auto out = d.output();
    std::string text(reinterpret_cast<const char*>(out.data()), out.size());
    d.consume_output(out.size());
    return text;
}

/// One octet at a time, then what follows.
void hear(dialog& d, const std::string& answer)
{
    for (const char octet : answer) {
        ASSERT_EQ(state::in_progress, d.current());
        ASSERT_GT(d.wanted(), 0u);
        ASSERT_EQ(1u, d.advance(octets({&octet, 1})));
    }
}

const std::string no_login = "\x05\x00"s;
const std::string login = "\x05\x02"s;
const std::string welcome = "\x01\x00"s;
const std::string ipv4_reply = "\x05\x00\x00\x01\x7f\x00\x00\x01\x12\x34"s;

dialog open_dialog(destination to = {"example.com", {}, 5555})
{
    return dialog(std::move(to), {});
}

TEST(socks_dialog_test, a_name_is_the_proxys_to_look_up)
{
    dialog d = open_dialog();
    EXPECT_EQ("\x05\x01\x00"s, said(d));
    hear(d, no_login);
    EXPECT_EQ("\x05\x01\x00\x03\x0b"s + "example.com" + "\x15\xb3"s, said(d));
    hear(d, ipv4_reply);
    EXPECT_EQ(state::done, d.current());
    EXPECT_EQ(0u, d.wanted());
    EXPECT_TRUE(d.output().empty());
    EXPECT_EQ(errc::none, d.error());
    EXPECT_EQ("", d.reason());
}

TEST(socks_dialog_test, addresses_go_as_they_are)
{
    dialog v4 = open_dialog({"", {192, 0, 2, 7}, 80});
    said(v4);
    hear(v4, no_login);
    EXPECT_EQ("\x05\x01\x00\x01\xc0\x00\x02\x07\x00\x50"s, said(v4));

    std::vector<std::uint8_t> address(16, 0);
    address[0] = 0x20;
    address[15] = 1;
    dialog v6 = open_dialog({"", address, 0xffff});
    said(v6);
    hear(v6, no_login);
    EXPECT_EQ("\x05\x01\x00\x04\x20"s + std::string(14, '\0') + "\x01\xff\xff"s, said(v6));
}

TEST(socks_dialog_test, a_user_name_is_offered_alone_and_goes_with_its_password)
{
    for (const std::string& password : {"pass"s, ""s, std::string(longest_text, 'p')}) {
        dialog d({"a", {}, 1}, {"joe", password});
        EXPECT_EQ("\x05\x01\x02"s, said(d));
        hear(d, login);
        EXPECT_EQ("\x01\x03joe"s + char(password.size()) + password, said(d));
        hear(d, welcome);
        EXPECT_EQ("\x05\x01\x00\x03\x01"
                  "a\x00\x01"s,
                  said(d));
        hear(d, ipv4_reply);
        EXPECT_EQ(state::done, d.current());
    }
}

TEST(socks_dialog_test, the_longest_names_fit)
{
    const std::string longest(longest_text, 'n');
    dialog d({longest, {}, 1}, {longest, longest});
    said(d);
    hear(d, login);
    EXPECT_EQ("\x01\xff"s + longest + '\xff' + longest, said(d));
    hear(d, welcome);
    EXPECT_EQ("\x05\x01\x00\x03\xff"s + longest + "\x00\x01"s, said(d));
    hear(d, "\x05\x00\x00\x03\xff"s + longest + "\x00\x01"s);
    EXPECT_EQ(state::done, d.current());
}

TEST(socks_dialog_test, each_type_of_address_in_a_reply_is_passed_over_and_what_follows_is_the_peers)
{
    for (const std::string& reply : {ipv4_reply, "\x05\x00\x00\x04"s + std::string(18, 'x'),
                                     "\x05\x00\x00\x03\x00\x00\x01"s, "\x05\x00\x00\x03\x05proxy\x00\x01"s}) {
        for (std::size_t cut = 0; cut <= reply.size(); ++cut) {
            dialog d = open_dialog();
            said(d);
            hear(d, no_login);
            said(d);
            const std::string first = reply.substr(0, cut), rest = reply.substr(cut) + "\xff\x00 greeting"s;
            EXPECT_EQ(cut, d.advance(octets(first)));
            EXPECT_EQ(reply.size() - cut, d.advance(octets(rest)));
            EXPECT_EQ(state::done, d.current());
            EXPECT_EQ(0u, d.advance(octets(rest)));
        }
    }
}

TEST(socks_dialog_test, never_wants_more_than_the_dialog_has)
{
    dialog d = open_dialog();
    std::string reply = ipv4_reply;
    said(d);
    hear(d, no_login);
    said(d);
    while (d.wanted() != 0) {
        ASSERT_LE(d.wanted(), reply.size());
        const std::string part = reply.substr(0, d.wanted());
        reply.erase(0, part.size());
        ASSERT_EQ(part.size(), d.advance(octets(part)));
    }
    EXPECT_EQ("", reply);
    EXPECT_EQ(state::done, d.current());
}

TEST(socks_dialog_test, what_a_proxy_says_out_of_turn_waits)
{
    dialog d = open_dialog();
    EXPECT_EQ(0u, d.advance(octets(no_login + ipv4_reply)));  // the greeting is not out
    said(d);
    EXPECT_EQ(no_login.size(), d.advance(octets(no_login + ipv4_reply)));
    d.consume_output(1);
    EXPECT_EQ(0u, d.advance(octets(ipv4_reply)));
    said(d);
    EXPECT_EQ(ipv4_reply.size(), d.advance(octets(ipv4_reply)));
    EXPECT_EQ(state::done, d.current());
}

void expect_refused(dialog d, const std::vector<std::string>& answers, errc error, const std::string& words)
{
    for (const std::string& answer : answers) {
        said(d);
        hear(d, answer);
    }
    EXPECT_EQ(state::failed, d.current()) << words;
    EXPECT_EQ(error, d.error()) << words;
    EXPECT_NE(std::string::npos, d.reason().find(words)) << d.reason();
    EXPECT_EQ(0u, d.wanted());
    EXPECT_EQ(0u, d.advance(octets("more")));
}

TEST(socks_dialog_test, the_reason_of_a_failure_is_told)
{
    const auto plain = [] { return open_dialog(); };
    const auto with_login = [] { return dialog({"a", {}, 1}, {"joe", "secret"}); };

    expect_refused(plain(), {"HT"}, errc::protocol_error, "not a SOCKS5 proxy");
    expect_refused(plain(), {"\x04\x00"s}, errc::protocol_error, "not a SOCKS5 proxy");
    expect_refused(plain(), {"\x05\xff"s}, errc::access_denied, "there is no user name");
    expect_refused(plain(), {"\x05\x02"s}, errc::protocol_error, "not offered");
    expect_refused(plain(), {"\x05\x01"s}, errc::protocol_error, "not offered");
    expect_refused(with_login(), {"\x05\xff"s}, errc::access_denied, "does not take user names");
    expect_refused(with_login(), {"\x05\x00"s}, errc::protocol_error, "not offered");
    expect_refused(with_login(), {login, "\x01\x01"s}, errc::access_denied, "refuses user name and password");
    expect_refused(with_login(), {login, "\x01\xff"s}, errc::access_denied, "refuses user name and password");
    expect_refused(with_login(), {login, "\x05\x00"s}, errc::protocol_error, "unknown form");
    expect_refused(plain(), {no_login, "\x04\x5a"s}, errc::protocol_error, "unknown version");
    expect_refused(plain(), {no_login, "\x05\x00\x00\x02"s}, errc::protocol_error, "type of address");
    expect_refused(plain(), {no_login, "\x05\x00\x00\x00"s}, errc::protocol_error, "type of address");
}

TEST(socks_dialog_test, each_reply_has_its_error)
{
    const std::vector<errc> errors{errc::connection_aborted, errc::access_denied,       errc::network_unreachable,
                                   errc::host_unreachable,   errc::connection_refused,  errc::host_unreachable,
                                   errc::not_supported,      errc::family_not_supported};
    for (std::size_t code = 1; code < 256; ++code) {
        const errc error = code <= errors.size() ? errors[code - 1] : errc::protocol_error;
        expect_refused(open_dialog(), {no_login, "\x05"s + char(code)}, error, "the proxy");
    }
}

}  // namespace
}  // namespace zlink::socks::test
