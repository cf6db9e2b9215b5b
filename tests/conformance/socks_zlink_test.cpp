// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Connects by way of a SOCKS5 proxy, which the test plays by hand. The tests are of what it is told, what comes of each
// thing that it may do, and which events tell of it.
#include "support/zmq_fixture.hpp"

#include <arpa/inet.h>
#include <netinet/tcp.h>

#include <string>

namespace zlink::test {
namespace {

using namespace std::string_literals;

const std::string greeting = "\x05\x01\x00"s;
const std::string greeting_with_login = "\x05\x01\x02"s;
const std::string no_login = "\x05\x00"s;
const std::string agreed = "\x05\x00\x00\x01\x7f\x00\x00\x01\x12\x34"s;

std::string request_by_name(const std::string& name, int port)
{
    return "\x05\x01\x00\x03"s + char(name.size()) + name + char(port >> 8) + char(port & 0xff);
}

class socks_test : public zmq_test {
protected:
    socks_test()
    {
        ours_.set(ZMQ_SOCKS_PROXY, proxy_address());
        ours_.set(ZMQ_RECONNECT_IVL, 1);
    }

    [[nodiscard]] std::string proxy_address() const { return proxy_.endpoint().substr(6); }

    void expect_words(const std::string& words)
    {
        EXPECT_TRUE(eventually([&] { return connection_error().find(words) != std::string::npos; }))
            << connection_error();
    }

    /// A proxy's part up to its reply.
    tcp_peer accept_and_agree(const std::string& name, int port)
    {
        tcp_peer proxied = proxy_.accept();
        EXPECT_EQ(greeting, proxied.read(greeting.size()));
        proxied.write(no_login);
        const std::string request = request_by_name(name, port);
        EXPECT_EQ(request, proxied.read(request.size()));
        return proxied;
    }

    /// What the peer says that the proxy has connected to: raw octets, as the socket is a STREAM.
    void expect_octets(const std::string& octets)
    {
        EXPECT_EQ(2u, ours_.recv_parts().size());  // the notice of a connection
        const parts come = ours_.recv_parts();
        ASSERT_EQ(2u, come.size());
        EXPECT_EQ(octets, come[1]);
    }

    tcp_peer proxy_ = tcp_peer::listen();
    socket ours_ = ctx_.open(ZMQ_STREAM);
};

// The name is one that nobody can look up.
TEST_F(socks_test, a_name_is_left_to_the_proxy_and_octets_behind_its_reply_are_the_peers)
{
    ours_.connect("tcp://peer.invalid:5555");
    tcp_peer proxied = accept_and_agree("peer.invalid", 5555);
    proxied.write(agreed + "hello");
    expect_octets("hello");
}

TEST_F(socks_test, octets_may_come_one_by_one)
{
    ours_.connect("tcp://peer.invalid:5555");
    tcp_peer proxied = proxy_.accept();
    const int now = 1;
    ::setsockopt(proxied.fd(), IPPROTO_TCP, TCP_NODELAY, &now, sizeof now);
    EXPECT_EQ(greeting, proxied.read(greeting.size()));
    for (const char octet : no_login) proxied.write({&octet, 1});
    const std::string request = request_by_name("peer.invalid", 5555);
    EXPECT_EQ(request, proxied.read(request.size()));
    for (const char octet : agreed + "h") proxied.write({&octet, 1});
    expect_octets("h");
}

TEST_F(socks_test, addresses_go_as_they_are_whatever_ours_can_be_reached)
{
    ours_.connect("tcp://192.0.2.1:5555");
    ours_.connect("tcp://[2001:db8::1]:5555");  // without ZMQ_IPV6: it is the proxy that goes there
    std::string requests[2];
    for (std::string& request : requests) {
        tcp_peer proxied = proxy_.accept();
        EXPECT_EQ(greeting, proxied.read(greeting.size()));
        proxied.write(no_login);
        request = proxied.read(4);
        request += proxied.read(request[3] == '\x04' ? 18 : 6);
        proxied.write("\x05\x05"s);
        proxied.close();
        if (request[3] == '\x04') ours_.disconnect("tcp://[2001:db8::1]:5555");
        if (request[3] == '\x01') ours_.disconnect("tcp://192.0.2.1:5555");
    }
    if (requests[0][3] == '\x04') std::swap(requests[0], requests[1]);
    EXPECT_EQ("\x05\x01\x00\x01\xc0\x00\x02\x01\x15\xb3"s, requests[0]);
    EXPECT_EQ("\x05\x01\x00\x04\x20\x01\x0d\xb8"s + std::string(11, '\0') + "\x01\x15\xb3"s, requests[1]);
}

TEST_F(socks_test, user_name_and_password_go_when_they_are_asked_for)
{
    ours_.set(ZMQ_SOCKS_USERNAME, "joe");
    ours_.set(ZMQ_SOCKS_PASSWORD, "secret");
    ours_.connect("tcp://peer.invalid:5555");
    tcp_peer proxied = proxy_.accept();
    EXPECT_EQ(greeting_with_login, proxied.read(greeting_with_login.size()));
    proxied.write("\x05\x02"s);
    const std::string login = "\x01\x03joe\x06secret"s;
    EXPECT_EQ(login, proxied.read(login.size()));
    proxied.write("\x01\x00"s);
    const std::string request = request_by_name("peer.invalid", 5555);
    EXPECT_EQ(request, proxied.read(request.size()));
    proxied.write(agreed + "hello");
    expect_octets("hello");
}

// "source;host:port"; else the endpoint's own source counts.
TEST_F(socks_test, the_connection_to_a_proxy_has_its_source_address)
{
    const struct {
        std::string proxy;
        const char* source;
    } ways[] = {{proxy_address(), "127.0.0.2"},
                {"127.0.0.3:0;" + proxy_address(), "127.0.0.3"},
                {"lo:*;" + proxy_address(), "127.0.0.1"}};
    for (const auto& way : ways) {
        socket dealer = ctx_.open(ZMQ_DEALER);
        dealer.set(ZMQ_SOCKS_PROXY, way.proxy);
        dealer.connect("tcp://127.0.0.2:0;peer.invalid:5555");
        const tcp_peer proxied = accept_and_agree("peer.invalid", 5555);
        sockaddr_in from{};
        socklen_t size = sizeof from;
        ASSERT_EQ(0, ::getpeername(proxied.fd(), reinterpret_cast<sockaddr*>(&from), &size));
        char text[INET_ADDRSTRLEN];
        EXPECT_STREQ(way.source, inet_ntop(AF_INET, &from.sin_addr, text, sizeof text)) << way.proxy;
    }
}

TEST_F(socks_test, without_a_proxy_again_connects_are_direct)
{
    ours_.set(ZMQ_SOCKS_PROXY, "");
    tcp_peer peer = tcp_peer::listen();
    ours_.connect(peer.endpoint());
    tcp_peer direct = peer.accept();
    direct.write("hello");
    expect_octets("hello");
}

TEST_F(socks_test, events_tell_of_the_connection_once_it_leads_to_the_peer)
{
    monitor events(ctx_, ours_);
    ours_.connect("tcp://peer.invalid:5555");
    EXPECT_EQ(ZMQ_EVENT_CONNECT_DELAYED, events.next()->event);
    {
        tcp_peer proxied = accept_and_agree("peer.invalid", 5555);
        proxied.write("\x05\x04\x00\x01"s);
        EXPECT_EQ(ZMQ_EVENT_CLOSED, events.next()->event);
        const auto retried = events.next();
        EXPECT_EQ(ZMQ_EVENT_CONNECT_RETRIED, retried->event);
        EXPECT_EQ("tcp://peer.invalid:5555", retried->endpoint);
    }
    EXPECT_EQ(ZMQ_EVENT_CONNECT_DELAYED, events.next()->event);
    tcp_peer proxied = accept_and_agree("peer.invalid", 5555);
    proxied.write(agreed);
    const auto connected = events.next();
    EXPECT_EQ(ZMQ_EVENT_CONNECTED, connected->event);
    EXPECT_EQ("tcp://peer.invalid:5555", connected->endpoint);
}

// --- a proxy that refuses, breaks off or stalls
// ---------------------------------------------------------------------------

struct bad_answer {
    const char* name;
    std::string greeted;    ///< the answer to the greeting
    std::string requested;  ///< the answer to the request; empty: there is none
    const char* words;
};

class bad_socks_test : public socks_test, public testing::WithParamInterface<bad_answer> {};

TEST_P(bad_socks_test, ends_that_attempt_with_its_reason_and_another_follows)
{
    const bad_answer& bad = GetParam();
    monitor events(ctx_, ours_, ZMQ_EVENT_CLOSED | ZMQ_EVENT_CONNECT_RETRIED | ZMQ_EVENT_CONNECTED);
    ours_.connect("tcp://peer.invalid:5555");
    {
        tcp_peer proxied = proxy_.accept();
        proxied.read(greeting.size());
        proxied.write(bad.greeted);
        if (!bad.requested.empty()) {
            proxied.read(request_by_name("peer.invalid", 5555).size());
            proxied.write(bad.requested);
        }
        ::shutdown(proxied.fd(), SHUT_WR);
        EXPECT_EQ(ZMQ_EVENT_CLOSED, events.next()->event);
    }
    EXPECT_EQ(ZMQ_EVENT_CONNECT_RETRIED, events.next()->event);
    expect_words("tcp://peer.invalid:5555 by way of the SOCKS proxy " + proxy_address() + ": " + bad.words);

    tcp_peer proxied = accept_and_agree("peer.invalid", 5555);
    proxied.write(agreed + "hello");
    expect_octets("hello");
}

const bad_answer bad_answers[] = {
    {"nothing", "", "", "the proxy ended the connection"},
    {"half_a_choice", "\x05"s, "", "the proxy ended the connection"},
    {"http", "HTTP/1.0 400 Bad Request\r\n\r\n", "", "what answers is not a SOCKS5 proxy"},
    {"socks4", "\x04\x5b"s, "", "what answers is not a SOCKS5 proxy"},
    {"no_method", "\x05\xff"s, "", "the proxy wants authentication"},
    {"another_method", "\x05\x01"s, "", "the proxy chooses a method"},
    {"half_a_reply", no_login, agreed.substr(0, 7), "the proxy ended the connection"},
    {"reply_of_another_version", no_login, "\x04\x00\x00\x01"s, "the proxy replies in an unknown version"},
    {"unknown_type_of_address", no_login, "\x05\x00\x00\x09"s + std::string(300, 'x'),
     "the proxy replies with an unknown type"},
    {"general", no_login, "\x05\x01"s, "the proxy reports a general failure"},
    {"rules", no_login, "\x05\x02"s, "the proxy's rules"},
    {"network", no_login, "\x05\x03"s, "the proxy reports: network unreachable"},
    {"host", no_login, "\x05\x04"s, "the proxy reports: host unreachable"},
    {"refused", no_login, "\x05\x05"s, "the proxy reports: connection refused"},
    {"ttl", no_login, "\x05\x06"s, "the proxy reports: time to live expired"},
    {"command", no_login, "\x05\x07"s, "the proxy does not support the command"},
    {"address_type", no_login, "\x05\x08"s, "the proxy does not support this type"},
    {"unknown_reply", no_login, "\x05\x63"s, "the proxy answers with an unknown reply"},
};

INSTANTIATE_TEST_SUITE_P(answers, bad_socks_test, testing::ValuesIn(bad_answers),
                         [](const testing::TestParamInfo<bad_answer>& row) { return row.param.name; });

TEST_F(socks_test, a_refused_password_is_told)
{
    ours_.set(ZMQ_SOCKS_USERNAME, "joe");
    ours_.connect("tcp://peer.invalid:5555");
    tcp_peer proxied = proxy_.accept();
    proxied.read(greeting_with_login.size());
    proxied.write("\x05\x02"s);
    EXPECT_EQ("\x01\x03joe\x00"s, proxied.read(6));  // no password is an empty one
    proxied.write("\x01\x01"s);
    expect_words("the proxy refuses user name and password");
}

TEST_F(socks_test, what_a_proxy_reports_as_refused_counts_as_refused)
{
    monitor events(ctx_, ours_, ZMQ_EVENT_CLOSED | ZMQ_EVENT_CONNECT_RETRIED);
    ours_.set(ZMQ_RECONNECT_STOP, ZMQ_RECONNECT_STOP_CONN_REFUSED);
    ours_.connect("tcp://peer.invalid:5555");
    tcp_peer proxied = accept_and_agree("peer.invalid", 5555);
    proxied.write("\x05\x05"s);
    EXPECT_EQ(ZMQ_EVENT_CLOSED, events.next()->event);
    EXPECT_FALSE(events.next(100));
}

TEST_F(socks_test, a_proxy_that_stalls_is_left_in_time)
{
    for (const int limit : {ZMQ_HANDSHAKE_IVL, ZMQ_CONNECT_TIMEOUT}) {
        for (const std::string& first : {""s, "\x05"s}) {
            socket ours = ctx_.open(ZMQ_DEALER);
            ours.set(ZMQ_SOCKS_PROXY, proxy_address());
            ours.set(limit, 50);
            ours.set(ZMQ_RECONNECT_IVL, -1);
            monitor events(ctx_, ours, ZMQ_EVENT_CLOSED | ZMQ_EVENT_CONNECTED);
            const std::string peer = "tcp://" + std::to_string(limit) + ".invalid:" + std::to_string(1 + first.size());
            ours.connect(peer);
            tcp_peer proxied = proxy_.accept();
            proxied.read(greeting.size());
            proxied.write(first);
            EXPECT_EQ(ZMQ_EVENT_CLOSED, events.next()->event);
            expect_words(peer + ": the proxy has not answered in time");
            EXPECT_TRUE(proxied.ended());
        }
    }
}

TEST_F(socks_test, closing_does_not_wait_for_a_proxy)
{
    ours_.connect("tcp://peer.invalid:5555");
    tcp_peer proxied = proxy_.accept();
    proxied.read(greeting.size());
    ours_.close();
    ctx_.terminate();
    EXPECT_TRUE(eventually([&] { return proxied.ended(); }));
}

TEST_F(socks_test, a_proxy_that_cannot_be_reached_is_tried_again)
{
    const std::uint16_t port = tcp_peer::port_of(proxy_.endpoint());
    proxy_.close();
    ours_.connect("tcp://peer.invalid:5555");
    expect_words("the proxy cannot be reached: Connection refused");
    proxy_ = tcp_peer::listen(port);
    tcp_peer proxied = accept_and_agree("peer.invalid", 5555);
    proxied.write(agreed + "hello");
    expect_octets("hello");
}

TEST_F(socks_test, what_cannot_be_is_refused_at_once)
{
    const auto expect_refused = [&](const std::string& endpoint, const std::string& words) {
        EXPECT_EQ(-1, zmq_connect(ours_, endpoint.c_str())) << endpoint;
        EXPECT_EQ(EINVAL, zmq_errno());
        EXPECT_NE(std::string::npos, std::string(zlink_last_error()).find(words)) << zlink_last_error();
    };
    expect_refused("tcp://" + std::string(256, 'n') + ":5555", "more than 255 octets");
    expect_refused("tcp://[fe80::1%lo]:5555", "zone of an address");
    for (const char* proxy : {"127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:70000", ":1080",
                              "tcp://127.0.0.1:1080", "[::1]:1080", "1.2.3.4;127.0.0.1:1080", "1.2.3.4:5;127.0.0.1"}) {
        ours_.set(ZMQ_SOCKS_PROXY, proxy);
        expect_refused("tcp://peer.invalid:5555",
                       "the SOCKS proxy is not a host:port that can be connected to: "s + proxy);
    }
    // The same, for what goes over tcp.
    ours_.set(ZMQ_SOCKS_PROXY, "nonsense");
    socket dealer = ctx_.open(ZMQ_DEALER);
    dealer.set(ZMQ_SOCKS_PROXY, "nonsense");
    EXPECT_EQ(-1, zmq_connect(dealer, "ws://peer.invalid:5555/"));
    EXPECT_EQ(EINVAL, zmq_errno());
    // Sockets that bind, or connect otherwise, have nothing to do with it.
    EXPECT_EQ(0, zmq_bind(dealer, "tcp://127.0.0.1:*"));
    EXPECT_EQ(0, zmq_connect(dealer, "inproc://elsewhere"));
}

}  // namespace
}  // namespace zlink::test
