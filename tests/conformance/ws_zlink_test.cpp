// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ws endpoints, and peers on them that are no WebSocket, no ZWS, or no good. Each loses its connection, with the reason
// in an event, and no other peer notices.
#include "ws_fixture.hpp"

#include "support/tcp_peer.hpp"
#include "support/zap_handler.hpp"

#include <array>
#include <string>
#include <vector>

namespace zlink::test {
namespace {

TEST_F(ws_test, is_a_capability)
{
    EXPECT_EQ(1, zmq_has("ws"));
}

TEST_F(ws_test, endpoints_have_a_path)
{
    EXPECT_TRUE(endpoint_.ends_with("/zmq")) << endpoint_;
    socket other = ctx_.open(ZMQ_PULL);
    EXPECT_TRUE(other.bind("ws://*:*").ends_with("/"));
    for (const char* bad : {"ws://127.0.0.1", "ws:///path", "ws://127.0.0.1:80/a b", "ws://127.0.0.1:80/a\r\nX: y",
                            "ws://127.0.0.1:80/#x"}) {
        EXPECT_EQ(-1, zmq_connect(other, bad)) << bad;
        EXPECT_EQ(EINVAL, zmq_errno()) << bad;
    }
    // A query is a client's: a bind that has one could never be reached.
    EXPECT_EQ(-1, zmq_bind(other, "ws://127.0.0.1:*/zmq?query"));
    EXPECT_EQ(EINVAL, zmq_errno());
    socket raw = ctx_.open(ZMQ_STREAM);
    EXPECT_EQ(-1, zmq_bind(raw, "ws://127.0.0.1:*"));
    EXPECT_EQ(ENOCOMPATPROTO, zmq_errno());
}

TEST_F(ws_test, an_asterisk_is_any_path)
{
    socket any = ctx_.open(ZMQ_PULL);
    const std::string endpoint = any.bind("ws://127.0.0.1:*/*");
    EXPECT_TRUE(endpoint.ends_with("/*")) << endpoint;
    for (const char* path : {"*", "", "feed", "a/b?query"}) {
        socket push = ctx_.open(ZMQ_PUSH);
        push.connect(endpoint.substr(0, endpoint.size() - 1) + path);
        push.send(path);
        EXPECT_EQ(path, any.recv());
    }
}

TEST_F(ws_test, a_path_may_have_several_slashes)
{
    for (const std::string path : {"/a/b", "/a/b/", "//", "/a//b:1/c"}) {
        socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
        const std::string endpoint = pull.bind("ws://127.0.0.1:*" + path);
        const std::string address = tcp_of(endpoint);
        EXPECT_EQ(path, endpoint.substr(address.size() - 1)) << endpoint;
        push.connect(endpoint);
        push.send(path);
        EXPECT_EQ(path, pull.recv());
        raw_peer elsewhere = raw_peer::connect_to(address);
        elsewhere.send_bytes("GET " + path.substr(path.rfind('/')) + "x HTTP/1.1\r\nHost: here\r\n\r\n");
        EXPECT_TRUE(head_of(elsewhere).starts_with("HTTP/1.1 404 ")) << path;
        pull.unbind(endpoint);
        EXPECT_EQ(-1, zmq_unbind(pull, endpoint.c_str()));
    }
}

TEST_F(ws_test, a_client_asks_for_the_whole_path)
{
    for (const std::string path : {"/a/b", "/a/b/", "//", "/a//b:1/c?d=/e"}) {
        raw_listener listener;
        socket push = ctx_.open(ZMQ_PUSH);
        push.connect("ws" + listener.endpoint().substr(3) + path);
        raw_peer asked = listener.accept();
        EXPECT_TRUE(head_of(asked).starts_with("GET " + path + " HTTP/1.1\r\n")) << path;
    }
}

TEST_F(ws_test, plain_http_is_answered_and_refused)
{
    raw_peer browser = peer();
    browser.send_bytes("GET /zmq HTTP/1.1\r\nHost: here\r\n\r\n");
    EXPECT_TRUE(head_of(browser).starts_with("HTTP/1.1 426 "));
    expect_refused(browser, "the client wants no WebSocket");
    raw_peer lost = peer();
    lost.send_bytes("GET /elsewhere HTTP/1.1\r\nHost: here\r\n\r\n");
    EXPECT_TRUE(head_of(lost).starts_with("HTTP/1.1 404 "));
    expect_refused(lost, "the client asks for another path: '/elsewhere'");
}

TEST_F(ws_test, zmtp_over_plain_tcp_is_refused)
{
    raw_peer p = peer();
    p.send_bytes(zmtp3_greeting());
    EXPECT_TRUE(head_of(p).starts_with("HTTP/1.1 400 "));
    expect_refused(p, "the client's request is not HTTP");
}

TEST_F(ws_test, a_head_of_more_than_8_kb_is_refused)
{
    raw_peer p = peer();
    p.send_bytes(upgrade_request("ZWS2.0", "X-Long: " + std::string(9000, 'x') + "\r\n"));
    EXPECT_TRUE(head_of(p).starts_with("HTTP/1.1 431 "));
    expect_refused(p, "the client's request is too long");
}

TEST_F(ws_test, other_sub_protocols_are_refused)
{
    for (const char* other : {"ZWS1.0", "ZWS2.0/PLAIN", "zws2.0", "mqtt"}) {
        raw_peer p = peer();
        p.send_bytes(upgrade_request(other));
        EXPECT_TRUE(head_of(p).starts_with("HTTP/1.1 400 ")) << other;
        expect_refused(p, "the client's sub-protocols and security mechanisms differ from ours: '" +
                              std::string(other) + "', where 'ZWS2.0/NULL,ZWS2.0' is wanted");
    }
}

// Servers that do not upgrade: each is tried again, as one that starts may answer 503.
TEST_F(ws_test, a_client_says_why_a_server_does_not_upgrade)
{
    const std::string switches = "HTTP/1.1 101 Switching Protocols\r\n",
                      fields = "Upgrade: websocket\r\nConnection: Upgrade\r\n";
    const std::vector<std::array<std::string, 2>> answers{
        {"HTTP/1.1 503 Service Unavailable\r\n\r\n",
         "the server answers 'HTTP/1.1 503 Service Unavailable' instead of switching to WebSocket"},
        {switches + "\r\n", "the server switches to another protocol than WebSocket"},
        {switches + fields + "Sec-WebSocket-Accept: c29tZXRoaW5nIGVsc2UgYWx0b2dldGhlcg==\r\n\r\n",
         "the server's Sec-WebSocket-Accept is not the one for this client's key"},
        {zmtp3_greeting(), "the server's answer is not HTTP"},
        {switches + "X: " + std::string(9000, 'x'), "the server's answer is too long"}};
    tcp_peer listener = tcp_peer::listen();
    socket client = ctx_.open(ZMQ_PUSH);
    client.set(ZMQ_RECONNECT_IVL, 1);
    monitor events(ctx_, client, ZMQ_EVENT_ALL);
    client.connect("ws" + listener.endpoint().substr(3) + "/zmq");
    for (const auto& [answer, words] : answers) {
        tcp_peer server = listener.accept();
        server.write(answer);
        EXPECT_EQ(std::uint32_t(ZMQ_PROTOCOL_ERROR_WS_UNSPECIFIED),
                  events.await(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL).value);
        const std::string said = connection_error();
        EXPECT_TRUE(said.ends_with(": " + words)) << said;
        events.await(ZMQ_EVENT_CONNECT_RETRIED);
    }
    {
        tcp_peer server = listener.accept();
        for (std::string head; !head.ends_with("\r\n\r\n");) head += server.read(1);  // else that would be a reset
    }
    EXPECT_EQ(std::uint32_t(EPIPE), events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL).value);
    EXPECT_TRUE(connection_error().ends_with("has ended the connection during the upgrade to WebSocket"));
}

TEST_F(ws_test, whoever_stalls_is_given_up_wherever_he_does)
{
    const std::string all = upgrade_request();
    for (const std::size_t cut : {std::size_t{0}, std::size_t{10}, all.size() - 1, all.size()}) {
        raw_peer p = peer();
        p.send_bytes(all.substr(0, cut));
        EXPECT_EQ(std::uint32_t(EAGAIN), events_->await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL).value) << cut;
        EXPECT_TRUE(p.wait_for_end());
    }
}

TEST_F(ws_test, a_ping_is_answered_with_the_same_octets)
{
    raw_peer p = in_traffic();
    const std::string longest(125, 'p');
    for (const std::string& payload : {std::string("x"), longest, std::string()}) {
        p.send_bytes(frame(payload, 0x89));
        EXPECT_EQ(own(payload, 0x8a), p.read_bytes(2 + payload.size()));
    }
}

TEST_F(ws_test, of_many_pings_the_newest_pong_waits)
{
    raw_peer p = in_traffic();
    std::string flood;
    for (int i = 0; i < 1000; ++i) flood += frame(std::to_string(i % 10), 0x89);
    p.send_bytes(flood + frame("last", 0x89));
    const std::string last = own("last", 0x8a);
    std::size_t pongs = 0;
    for (std::string pong; pong != last; ++pongs) {
        pong = p.read_bytes(2);
        pong += p.read_bytes(std::size_t(pong[1]));
    }
    EXPECT_LT(pongs, 1000U);
}

// The peer has said READY, and begun with a frame, when the handler's answer ends the handshake.
TEST_F(ws_test, a_frame_in_two_halves_is_whole_though_the_handlers_answer_comes_between_them)
{
    const std::string ping = frame("ping", 0x89);
    for (std::size_t half = 1; half < ping.size(); ++half) {
        zap_handler handler(ctx_);
        socket pull = ctx_.open(ZMQ_PULL);
        pull.set(ZMQ_ZAP_DOMAIN, "test");
        listen_on(pull);
        raw_peer p = peer();
        const std::string ready = frame("\2" + zmtp_command_body("READY", zmtp_property("Socket-Type", "PUSH")));
        // In one piece, so that all of it is there when the question is asked.
        p.send_bytes(upgrade_request("ZWS2.0/NULL") + ready + ping.substr(0, half));
        (void)handler.answer("200");
        EXPECT_TRUE(head_of(p).starts_with("HTTP/1.1 101 "));
        (void)p.read_bytes(std::size_t(p.read_bytes(2)[1]));  // READY
        p.send_bytes(ping.substr(half) + frame(std::string(1, '\0') + "message"));
        EXPECT_EQ(own("ping", 0x8a), p.read_bytes(6)) << half;
        EXPECT_EQ("message", pull.recv()) << half;
        events_.reset();
    }
    events_.emplace(ctx_, server_, ZMQ_EVENT_ALL);
}

TEST_F(ws_test, fragments_become_one_frame)
{
    raw_peer p = in_traffic();
    p.send_bytes(frame(std::string(1, '\0') + "in ", 0x02) + frame("three ", 0x00) + frame("ping", 0x89) +
                 frame("pieces", 0x80));
    EXPECT_EQ("in three pieces", server_.recv());
    EXPECT_EQ(own("ping", 0x8a), p.read_bytes(6));
}

TEST_F(ws_test, pages_of_other_origins_stay_outside)
{
    const std::string ours = "https://example.com";
    ASSERT_EQ(0, zmq_setsockopt(server_, ZMQ_WS_ORIGIN, ours.data(), ours.size()));
    EXPECT_EQ(-1, zmq_setsockopt(server_, ZMQ_WS_ORIGIN, "", 0));
    endpoint_ = server_.bind("ws://127.0.0.1:*/zmq");
    raw_peer stranger = peer();
    stranger.send_bytes(upgrade_request("ZWS2.0", "Origin: https://evil.example\r\n"));
    EXPECT_TRUE(head_of(stranger).starts_with("HTTP/1.1 403 "));
    expect_refused(stranger, "pages of this origin are not let in: 'https://evil.example'");
    raw_peer page = peer();
    page.send_bytes(upgrade_request("ZWS2.0", "Origin: https://example.com\r\n"));
    EXPECT_TRUE(head_of(page).starts_with("HTTP/1.1 101 "));
}

TEST_F(ws_test, a_server_without_mechanism_agrees_on_what_the_client_prefers)
{
    raw_peer p = peer();
    p.send_bytes(upgrade_request("ZWS2.0/NULL,ZWS2.0"));
    EXPECT_NE(std::string::npos, head_of(p).find("Sec-WebSocket-Protocol: ZWS2.0/NULL\r\n"));
    EXPECT_EQ("\x82", p.read_bytes(1)) << "READY follows at once";
}

TEST_F(ws_test, heartbeats_are_pings_of_web_socket)
{
    socket beating = ctx_.open(ZMQ_PULL);
    beating.set(ZMQ_HEARTBEAT_IVL, 20);
    beating.set(ZMQ_HEARTBEAT_TIMEOUT, 5000);
    endpoint_ = beating.bind("ws://127.0.0.1:*/zmq");
    raw_peer p = in_traffic();
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(own("", 0x89), p.read_bytes(2));
        p.send_bytes(frame("", 0x8a));
    }
    beating.set(ZMQ_HEARTBEAT_TIMEOUT, 40);
    endpoint_ = beating.bind("ws://127.0.0.1:*/zmq");
    events_.emplace(ctx_, beating, ZMQ_EVENT_ALL);
    raw_peer silent = in_traffic();
    EXPECT_EQ(own("", 0x89), silent.read_bytes(2));
    events_->await(ZMQ_EVENT_DISCONNECTED);
}

}  // namespace
}  // namespace zlink::test
