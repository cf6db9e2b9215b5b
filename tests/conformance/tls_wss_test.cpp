// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// wss: what fails in TLS is told as a failure of TLS. What fails in the upgrade is told as one of WebSocket, both by
// the name wss.
#include "support/zap_handler.hpp"
#include "tls_fixture.hpp"
#include "ws_fixture.hpp"

#include <cstring>
#include <string>

namespace zlink::test {
namespace {

class wss_test : public tls_test {
protected:
    wss_test() { endpoint_ = pull_.bind("wss://127.0.0.1:*/zmq"); }

    /// host:port
    [[nodiscard]] std::string host() const { return endpoint_.substr(6, endpoint_.rfind('/') - 6); }
    void expect_told(const monitor_event& failed, std::uint32_t value)
    {
        EXPECT_EQ(value, failed.value);
        const std::string said = connection_error();
        EXPECT_TRUE(said.starts_with("wss://127.0.0.1:")) << said;
    }
    void expect_served() { expect_others_to_be_served(pull_, endpoint_); }

    socket pull_ = server();
    std::string endpoint_;
    monitor events_{ctx_, pull_, ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL};
};

TEST_F(wss_test, who_speaks_no_tls_has_failed_in_tls)
{
    for (const std::string& words : {std::string("GET /zmq HTTP/1.1\r\nHost: here\r\n\r\n"), zmtp3_greeting()}) {
        raw_peer peer = raw_peer::connect_to("tcp://" + host());
        peer.send_bytes(words);
        expect_told(events_.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL), EPROTO);
        EXPECT_NE(nullptr, std::strstr(connection_error().c_str(), "TLS; does it connect by ")) << connection_error();
        EXPECT_NE(nullptr, std::strstr(connection_error().c_str(), "ws://?")) << connection_error();
        EXPECT_TRUE(peer.wait_for_end());
    }
    expect_served();
}

TEST_F(wss_test, who_does_not_upgrade_over_tls_has_failed_in_websocket)
{
    piped_process process(tls_client("wss://" + host()));
    raw_peer peer = process.peer();
    peer.send_bytes("GET /elsewhere HTTP/1.1\r\nHost: here\r\n\r\n");
    expect_told(events_.await(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL), ZMQ_PROTOCOL_ERROR_WS_UNSPECIFIED);
    EXPECT_TRUE(peer.wait_for_end());
    expect_served();
}

TEST_F(wss_test, a_path_may_have_several_slashes)
{
    for (const std::string path : {"/a/b", "/a/b/", "//", "/a//b:1/c"}) {
        socket pull = server(), push = client();
        const std::string endpoint = pull.bind("wss://127.0.0.1:*" + path);
        const std::string address = endpoint.substr(0, endpoint.find('/', 6));
        EXPECT_EQ(address + path, endpoint);
        push.connect(endpoint);
        push.send(path);
        EXPECT_EQ(path, pull.recv());
        piped_process process(tls_client(address));
        raw_peer elsewhere = process.peer();
        elsewhere.send_bytes("GET " + path.substr(path.rfind('/')) + "x HTTP/1.1\r\nHost: here\r\n\r\n");
        EXPECT_TRUE(head_of(elsewhere).starts_with("HTTP/1.1 404 ")) << path;
    }
}

// As over ws; here the octets come from a record that is opened.
TEST_F(wss_test, a_frame_in_two_halves_is_whole_though_the_handlers_answer_comes_between_them)
{
    zap_handler handler(ctx_);
    socket pull = server();
    pull.set(ZMQ_ZAP_DOMAIN, "test");
    const std::string endpoint = pull.bind("wss://127.0.0.1:*/zmq");
    piped_process process(tls_client(endpoint.substr(0, endpoint.rfind('/'))));
    raw_peer peer = process.peer();
    const std::string ready = frame("\2" + zmtp_command_body("READY", zmtp_property("Socket-Type", "PUSH")));
    const std::string ping = frame("ping", 0x89);
    peer.send_bytes(upgrade_request("ZWS2.0/NULL") + ready + ping.substr(0, 7));
    (void)handler.answer("200");
    EXPECT_TRUE(head_of(peer).starts_with("HTTP/1.1 101 "));
    (void)peer.read_bytes(std::size_t(peer.read_bytes(2)[1]));  // READY
    peer.send_bytes(ping.substr(7) + frame(std::string(1, '\0') + "message"));
    EXPECT_EQ(own("ping", 0x8a), peer.read_bytes(6));
    EXPECT_EQ("message", pull.recv());
}

TEST_F(wss_test, a_client_whose_server_speaks_no_tls_has_failed_in_tls)
{
    tcp_peer listener = tcp_peer::listen();
    socket push = client();
    monitor events(ctx_, push, ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL);
    push.connect("wss" + listener.endpoint().substr(3) + "/zmq");
    tcp_peer peer = listener.accept();
    peer.write("HTTP/1.1 400 Bad Request\r\n\r\n");
    expect_told(events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL), EPROTO);
}

}  // namespace
}  // namespace zlink::test
