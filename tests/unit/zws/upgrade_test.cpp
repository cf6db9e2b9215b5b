// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Upgrades, as scripts: what is asked and answered, in pieces of any size, and each way in which it can go wrong.
#include "zws/accept_key.hpp"
#include "zws/upgrade.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace zlink::zws::test {
namespace {

using state = upgrade::state;

std::span<const std::byte> octets(std::string_view text)
{
    return std::as_bytes(std::span(text));
}

std::string text_of(std::span<const std::byte> from)
{
    return {reinterpret_cast<const char*>(from.data()), from.size()};
}

// Of RFC 6455, section 1.3.
const std::string key = "dGhlIHNhbXBsZSBub25jZQ==";
const std::string accepted = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

const std::vector<std::string> null_protocols = protocols_of("NULL", false);

std::string request(const std::string& fields, const std::string& line = "GET /zmq HTTP/1.1")
{
    return line + "\r\nHost: example.com\r\n" + fields + "\r\n";
}

const std::string good_fields = "Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Key: " + key +
                                "\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: ZWS1.0, ZWS2.0\r\n";

upgrade server(std::string path = "/", std::vector<std::string> origins = {})
{
    return upgrade(upgrade::server_side{std::move(path), null_protocols, std::move(origins)});
}

upgrade client()
{
    return upgrade(upgrade::client_side{"example.com:80", "/zmq", null_protocols, key});
}

/// The status line of what is refused.
std::string refused(upgrade u, const std::string& what)
{
    (void)u.advance(octets(what));
    EXPECT_EQ(state::failed, u.current()) << what;
    EXPECT_FALSE(u.reason().empty());
    const std::string answer = text_of(u.output());
    return answer.substr(0, answer.find("\r\n"));
}

std::string with(std::string from, const std::string& what, const std::string& instead)
{
    const auto at = from.find(what);
    EXPECT_NE(std::string::npos, at) << what;
    return from.replace(at, what.size(), instead);
}

TEST(accept_key_test, is_what_the_rfc_says)
{
    EXPECT_EQ(accepted, accept_for(key));
    EXPECT_TRUE(is_key(new_key()));
    EXPECT_NE(new_key(), new_key());
    for (const char* bad : {"", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZQ===", "dGhlIHNhbXBsZSBub25j!Q=="}) {
        EXPECT_FALSE(is_key(bad)) << bad;
    }
}

TEST(upgrade_test, a_server_answers_wherever_the_request_is_cut)
{
    const std::string all = request(good_fields);
    for (std::size_t cut = 0; cut <= all.size(); ++cut) {
        upgrade u = server();
        EXPECT_EQ(cut, u.advance(octets(all.substr(0, cut))));
        const std::string rest = all.substr(cut) + "frames";
        if (cut < all.size()) {
            EXPECT_EQ(state::in_progress, u.current());
            EXPECT_TRUE(u.output().empty());
            EXPECT_EQ(all.size() - cut, u.advance(octets(rest))) << "what is behind belongs to the frames";
        }
        ASSERT_EQ(state::done, u.current()) << cut;
        EXPECT_EQ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                  "Sec-WebSocket-Accept: " +
                      accepted + "\r\nSec-WebSocket-Protocol: ZWS2.0\r\n\r\n",
                  text_of(u.output()));
        EXPECT_FALSE(u.agreed().client);
        EXPECT_FALSE(u.agreed().mechanism);
    }
}

TEST(upgrade_test, a_client_takes_the_answer_wherever_it_is_cut)
{
    const std::string answer = "HTTP/1.1 101 Whatever\r\nupgrade: WebSocket\r\nconnection: upgrade\r\n"
                               "sec-websocket-accept: " +
                               accepted + "\r\nsec-websocket-protocol: ZWS2.0/NULL\r\n\r\n";
    for (std::size_t cut = 0; cut <= answer.size(); ++cut) {
        upgrade u = client();
        EXPECT_EQ("GET /zmq HTTP/1.1\r\nHost: example.com:80\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                  "Sec-WebSocket-Key: " +
                      key + "\r\nSec-WebSocket-Protocol: ZWS2.0/NULL,ZWS2.0\r\nSec-WebSocket-Version: 13\r\n\r\n",
                  text_of(u.output()));
        (void)u.advance(octets(answer.substr(0, cut)));
        (void)u.advance(octets(answer.substr(cut) + "x"));
        ASSERT_EQ(state::done, u.current()) << cut;
        EXPECT_TRUE(u.agreed().client);
        EXPECT_TRUE(u.agreed().mechanism);
    }
}

TEST(upgrade_test, a_server_declines_compression_by_saying_nothing_of_it)
{
    upgrade u = server();
    (void)u.advance(octets(request(good_fields + "Sec-WebSocket-Extensions: permessage-deflate\r\n")));
    EXPECT_EQ(state::done, u.current());
    EXPECT_EQ(std::string::npos, text_of(u.output()).find("xtension"));
}

TEST(upgrade_test, a_server_refuses_what_is_no_upgrade_and_says_how)
{
    const std::string bad = "HTTP/1.1 400 Bad Request", none = "HTTP/1.1 426 Upgrade Required";
    EXPECT_EQ(bad, refused(server(), request(good_fields, "POST /zmq HTTP/1.1")));
    EXPECT_EQ(bad, refused(server(), request(good_fields, "GET /zmq HTTP/1.0")));
    EXPECT_EQ(bad, refused(server(), request(good_fields, "GET /a b HTTP/1.1")));
    EXPECT_EQ(bad, refused(server(), request(good_fields, "GET HTTP/1.1")));
    EXPECT_EQ(bad, refused(server(), request(good_fields + "Host: another\r\n")));
    EXPECT_EQ(bad, refused(server(), "GET /zmq HTTP/1.1\r\n" + good_fields + "\r\n"));
    EXPECT_EQ(none, refused(server(), request("")));
    EXPECT_EQ(none, refused(server(), request(with(good_fields, "Upgrade: websocket", "Upgrade: h2c"))));
    EXPECT_EQ(none, refused(server(), request(with(good_fields, "keep-alive, Upgrade", "keep-alive"))));
    EXPECT_EQ(none, refused(server(), request(with(good_fields, "Version: 13", "Version: 8"))));
    EXPECT_EQ(bad, refused(server(), request(with(good_fields, key, "short"))));
    EXPECT_EQ(bad, refused(server(), request(with(good_fields, ", ZWS2.0", ", ZWS2.0/PLAIN"))));
    EXPECT_EQ(bad, refused(server(), request(with(good_fields, "Sec-WebSocket-Protocol", "X-Other"))));
    EXPECT_EQ(bad, refused(server(), request(" folded: line\r\n" + good_fields)));
    EXPECT_EQ(bad, refused(server(), request("no colon\r\n" + good_fields)));
    EXPECT_EQ(bad, refused(server(), "\r\n\r\n"));
    EXPECT_EQ("HTTP/1.1 404 Not Found", refused(server("/other"), request(good_fields)));
}

// Else one of them is looked at here, and the other by a proxy between.
TEST(upgrade_test, neither_side_takes_a_field_twice_that_there_is_one_of)
{
    const std::string origin = "Origin: https://example.com\r\n", version = "Sec-WebSocket-Version: 13\r\n";
    for (const std::string& twice : {origin + "Origin: https://evil.example\r\n", origin + origin, version,
                                     "Sec-WebSocket-Key: " + key + "\r\n"}) {
        EXPECT_EQ("HTTP/1.1 400 Bad Request",
                  refused(server("/", {"https://example.com"}), request(good_fields + twice)));
    }
    // A list may have several lines.
    upgrade several = server();
    (void)several.advance(octets(request(good_fields + "Sec-WebSocket-Protocol: mqtt\r\nConnection: close\r\n")));
    EXPECT_EQ(state::done, several.current());

    const std::string accept = "Sec-WebSocket-Accept: " + accepted + "\r\n", other = "Sec-WebSocket-Accept: other\r\n",
                      protocol = "Sec-WebSocket-Protocol: ZWS2.0\r\n";
    for (const std::string& twice :
         {accept + other + protocol, accept + accept + protocol, accept + protocol + protocol,
          accept + protocol + "Sec-WebSocket-Protocol: mqtt\r\n"}) {
        upgrade u = client();
        (void)u.advance(octets("HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" + twice + "\r\n"));
        EXPECT_EQ(state::failed, u.current()) << twice;
        EXPECT_EQ("the server repeats a field that there is one of", u.reason());
    }
}

TEST(upgrade_test, every_path_is_served_where_none_is_named)
{
    for (const char* all : {"", "/", "/*"}) {
        for (const char* line : {"GET / HTTP/1.1", "GET /zmq?query HTTP/1.1", "GET /a/b HTTP/1.1", "GET /* HTTP/1.1"}) {
            upgrade u = server(all);
            (void)u.advance(octets(request(good_fields, line)));
            EXPECT_EQ(state::done, u.current()) << all << " for " << line;
        }
    }
    EXPECT_EQ("HTTP/1.1 404 Not Found", refused(server("/a/*"), request(good_fields, "GET /a/b HTTP/1.1")));
}

TEST(upgrade_test, a_head_has_8_kb_at_most)
{
    const std::string much(http_head::longest, 'a');
    EXPECT_EQ("HTTP/1.1 431 Request Header Fields Too Large", refused(server(), request(good_fields + "X: " + much)));
    upgrade c = client();
    EXPECT_EQ(http_head::longest, c.advance(octets(much + "b")));
    EXPECT_EQ(state::failed, c.current());
}

TEST(upgrade_test, pages_of_other_origins_stay_outside)
{
    const std::vector<std::string> ours{"https://example.com", "http://localhost:8000"};
    const auto from = [&](const std::string& origin) { return request(good_fields + "Origin: " + origin + "\r\n"); };
    EXPECT_EQ("HTTP/1.1 403 Forbidden", refused(server("/", ours), from("https://evil.example")));
    EXPECT_EQ("HTTP/1.1 403 Forbidden", refused(server("/", ours), from("https://example.com.evil.example")));
    for (const std::string& good : {from("https://example.com"), from("http://localhost:8000"), request(good_fields)}) {
        upgrade u = server("/", ours);
        (void)u.advance(octets(good));
        EXPECT_EQ(state::done, u.current()) << good;
    }
}

TEST(upgrade_test, a_client_refuses_what_it_has_not_asked_for)
{
    const std::string good = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             "Sec-WebSocket-Accept: " +
                             accepted + "\r\nSec-WebSocket-Protocol: ZWS2.0\r\n\r\n";
    upgrade fine = client();
    (void)fine.advance(octets(good));
    EXPECT_EQ(state::done, fine.current());
    for (const std::string& bad :
         {with(good, "101", "200"), with(good, "HTTP/1.1 101", "HTTP/1.1 1010"), with(good, "HTTP/1.1", "HTTP/1.0"),
          with(good, "websocket", "h2c"), with(good, "Connection: Upgrade", "Connection: close"),
          with(good, accepted, accept_for("another")), with(good, "ZWS2.0", "ZWS2.0/PLAIN"),
          with(good, "Sec-WebSocket-Protocol: ZWS2.0\r\n", ""),
          with(good, "Upgrade: ", "Sec-WebSocket-Extensions: permessage-deflate\r\nUpgrade: "),
          "nonsense\r\n\r\n" + good}) {
        upgrade u = client();
        (void)u.advance(octets(bad));
        EXPECT_EQ(state::failed, u.current()) << bad;
        EXPECT_FALSE(u.reason().empty());
    }
}

/// Why it failed.
std::string reason_of(upgrade u, const std::string& what)
{
    (void)u.advance(octets(what));
    EXPECT_EQ(state::failed, u.current()) << what;
    return std::string(u.reason());
}

TEST(upgrade_test, reasons_quote_the_peer_shortly_and_in_ascii)
{
    EXPECT_EQ("the server answers 'HTTP/1.1 404 Not Found' instead of switching to WebSocket",
              reason_of(client(), "HTTP/1.1 404 Not Found\r\n\r\n"));
    EXPECT_EQ("the server answers 'HTTP/1.1 4? ?"
              "?' instead of switching to WebSocket",
              reason_of(client(), "HTTP/1.1 4\xff \t\xac\r\n\r\n"));
    EXPECT_EQ("the client asks for another path: '/" + std::string(79, 'a') + "...'",
              reason_of(server("/zmq"), "GET /" + std::string(500, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n"));
    EXPECT_EQ(
        "pages of this origin are not let in: 'https://evil.example'",
        reason_of(server("/", {"https://example.com"}), request(good_fields + "Origin: https://evil.example\r\n")));
}

TEST(upgrade_test, what_is_quoted_is_not_sent_back)
{
    upgrade u = server("/", {"https://example.com"});
    (void)u.advance(octets(request(good_fields + "Origin: https://evil.example\r\n")));
    EXPECT_EQ(std::string::npos, text_of(u.output()).find("evil"));
}

TEST(upgrade_test, who_speaks_no_text_is_refused_with_the_first_octet)
{
    for (const std::string& other : {std::string("\xff\0\0", 3), std::string("\x16\3\1"), std::string("\r\n")}) {
        upgrade u = server();
        EXPECT_EQ(1U, u.advance(octets(other)));
        EXPECT_EQ(state::failed, u.current());
        EXPECT_EQ("the client's request is not HTTP", u.reason());
        EXPECT_EQ("the server's answer is not HTTP", reason_of(client(), other));
    }
}

}  // namespace
}  // namespace zlink::zws::test
