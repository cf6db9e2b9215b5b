// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Socket monitors: what is told, and what is not, when endpoints and connections end or fail. Programs tell a bad name
// from a bad peer by which events come.

#include "support/raw_peer.hpp"
#include "support/zmq_fixture.hpp"

namespace zlink::test {
namespace {

using zlink::test::socket;

class monitor_ends_test : public zmq_test {
protected:
    static constexpr int established = ZMQ_EVENT_HANDSHAKE_SUCCEEDED;

    static void expect_event(monitor& events, int number, const std::string& endpoint,
                             const place& where = place::current())
    {
        ::testing::ScopedTrace trace(where.file_name(), static_cast<int>(where.line()), "event");
        const auto event = events.next();
        ASSERT_TRUE(event) << number;
        EXPECT_EQ(number, event->event);
        EXPECT_EQ(endpoint, event->endpoint);
    }

    static void expect_value(monitor& events, int number, std::uint32_t value, const std::string& endpoint,
                             const place& where = place::current())
    {
        ::testing::ScopedTrace trace(where.file_name(), static_cast<int>(where.line()), "event");
        const auto event = events.next();
        ASSERT_TRUE(event) << number;
        EXPECT_EQ(number, event->event);
        EXPECT_EQ(value, event->value);
        EXPECT_EQ(endpoint, event->endpoint);
    }
};

TEST_F(monitor_ends_test, ones_own_disconnect_is_no_event)
{
    for (const char* transport : {"tcp://127.0.0.1:*", "ipc://*"}) {
        socket server = ctx_.open(ZMQ_DEALER), client = ctx_.open(ZMQ_DEALER);
        monitor events(ctx_, client, ZMQ_EVENT_ALL & ~ZMQ_EVENT_CONNECT_DELAYED);
        const std::string endpoint = server.bind(transport);
        for (int i = 0; i < 3; ++i) {
            client.connect(endpoint);
            expect_event(events, ZMQ_EVENT_CONNECTED, endpoint);
            expect_event(events, ZMQ_EVENT_HANDSHAKE_SUCCEEDED, endpoint);
            client.send("hello");
            EXPECT_EQ("hello", server.recv());
            client.disconnect(endpoint);
        }
        EXPECT_FALSE(events.next(50));
    }
}

TEST_F(monitor_ends_test, ones_own_close_ends_the_monitor_and_nothing_else)
{
    for (const char* transport : {"tcp://127.0.0.1:*", "ipc://*"}) {
        socket server = ctx_.open(ZMQ_DEALER), client = ctx_.open(ZMQ_DEALER);
        monitor server_events(ctx_, server), events(ctx_, client);
        const std::string endpoint = server.bind(transport);
        client.connect(endpoint);
        server_events.await(established);
        events.await(established);
        client.close();
        expect_event(events, ZMQ_EVENT_MONITOR_STOPPED, "");
        server_events.await(ZMQ_EVENT_DISCONNECTED);
        client = ctx_.open(ZMQ_DEALER);
        client.connect(endpoint);
        server_events.await(established);
        server.close();
        expect_event(server_events, ZMQ_EVENT_CLOSED, endpoint);
        expect_event(server_events, ZMQ_EVENT_MONITOR_STOPPED, "");
        server_events.detach();
        events.detach();
    }
}

TEST_F(monitor_ends_test, ones_own_unbind_tells_of_the_listener_alone)
{
    for (const char* transport : {"tcp://127.0.0.1:*", "ipc://*"}) {
        socket server = ctx_.open(ZMQ_DEALER), client = ctx_.open(ZMQ_DEALER);
        monitor events(ctx_, server);
        const std::string endpoint = server.bind(transport);
        client.connect(endpoint);
        client.send("hello");
        EXPECT_EQ("hello", server.recv());
        events.await(established);
        server.unbind(endpoint);
        expect_event(events, ZMQ_EVENT_CLOSED, endpoint);
        EXPECT_FALSE(events.next(50));
    }
}

TEST_F(monitor_ends_test, ones_own_end_of_a_stream_peer_is_no_event_and_needs_no_other_call_in_zlink)
{
    socket stream = ctx_.open(ZMQ_STREAM);
    monitor events(ctx_, stream, ZMQ_EVENT_DISCONNECTED);
    tcp_peer client = tcp_peer::connect(stream.bind("tcp://127.0.0.1:*"));
    const parts arrival = stream.recv_parts();
    ASSERT_EQ(2u, arrival.size());
    stream.send_parts({arrival[0], ""});
    EXPECT_TRUE(eventually([&] { return client.ended(); })) << "no other call is needed";
    EXPECT_FALSE(events.next(50));
}

TEST_F(monitor_ends_test, while_a_socket_lingers_its_tries_are_told)
{
    socket client = ctx_.open(ZMQ_DEALER);
    client.set(ZMQ_LINGER, 200);
    client.set(ZMQ_RECONNECT_IVL, 20);
    monitor events(ctx_, client, ZMQ_EVENT_ALL & ~ZMQ_EVENT_CONNECT_DELAYED);
    raw_listener nobody;
    const std::string endpoint = nobody.endpoint();
    nobody.close();
    client.connect(endpoint);
    client.send("for nobody");
    client.close();
    int tries = 0;
    auto event = events.next();
    for (; event && event->event == ZMQ_EVENT_CLOSED; event = events.next()) {
        expect_event(events, ZMQ_EVENT_CONNECT_RETRIED, endpoint);
        ++tries;
    }
    EXPECT_LT(1, tries);
    EXPECT_EQ(ZMQ_EVENT_MONITOR_STOPPED, event.value_or(monitor_event{}).event);
    events.detach();
}

TEST_F(monitor_ends_test, a_failed_connect_tells_closed_then_retried_over_ipc_too)
{
    temp_directory directory;
    socket client = ctx_.open(ZMQ_DEALER);
    client.set(ZMQ_RECONNECT_IVL, 1);
    monitor events(ctx_, client);
    const std::string endpoint = "ipc://" + directory.file("nobody");
    client.connect(endpoint);
    for (int i = 0; i < 3; ++i) {
        const auto closed = events.next();
        ASSERT_TRUE(closed);
        EXPECT_EQ(ZMQ_EVENT_CLOSED, closed->event);
        EXPECT_EQ(endpoint, closed->endpoint);
        EXPECT_LT(2U, closed->value) << "the descriptor";
        expect_event(events, ZMQ_EVENT_CONNECT_RETRIED, endpoint);
    }
}

TEST_F(monitor_ends_test, a_failed_connect_from_a_foreign_address_tells_closed_then_retried)
{
    socket client = ctx_.open(ZMQ_DEALER);
    client.set(ZMQ_RECONNECT_IVL, 1);
    monitor events(ctx_, client);
    const std::string endpoint = "tcp://198.51.100.7:0;127.0.0.1:1";
    client.connect(endpoint);
    for (int i = 0; i < 3; ++i) {
        expect_event(events, ZMQ_EVENT_CLOSED, endpoint);
        expect_event(events, ZMQ_EVENT_CONNECT_RETRIED, endpoint);
    }
}

TEST_F(monitor_ends_test, a_failed_bind_tells_closed_then_the_errno_and_the_address)
{
    temp_directory directory;
    socket first = ctx_.open(ZMQ_DEALER), second = ctx_.open(ZMQ_DEALER);
    const std::string taken = first.bind("tcp://127.0.0.1:*");
    monitor events(ctx_, second);
    const auto expect_failure = [&](int error, const std::string& endpoint) {
        EXPECT_EQ(-1, zmq_bind(second, endpoint.c_str())) << endpoint;
        EXPECT_EQ(error, zmq_errno()) << endpoint;
    };
    const std::string address = taken.substr(6), port = taken.substr(taken.rfind(':'));
    expect_failure(EADDRINUSE, taken);
    expect_event(events, ZMQ_EVENT_CLOSED, "");
    expect_value(events, ZMQ_EVENT_BIND_FAILED, EADDRINUSE, address);
    expect_failure(EADDRINUSE, "tcp://*" + port);
    expect_event(events, ZMQ_EVENT_CLOSED, "");
    expect_value(events, ZMQ_EVENT_BIND_FAILED, EADDRINUSE, "*" + port);
    expect_failure(EADDRNOTAVAIL, "tcp://198.51.100.7:5");
    expect_event(events, ZMQ_EVENT_CLOSED, "");
    expect_value(events, ZMQ_EVENT_BIND_FAILED, EADDRNOTAVAIL, "198.51.100.7:5");
    const std::string path = directory.file("missing/socket");
    expect_failure(ENOENT, "ipc://" + path);
    expect_event(events, ZMQ_EVENT_CLOSED, "ipc://" + path);
    expect_value(events, ZMQ_EVENT_BIND_FAILED, ENOENT, path);
    // Nothing was opened for these.
    expect_failure(ENODEV, "tcp://no-such-interface:5");
    expect_value(events, ZMQ_EVENT_BIND_FAILED, ENODEV, "no-such-interface:5");
    expect_failure(EINVAL, "tcp://127.0.0.1");
    expect_value(events, ZMQ_EVENT_BIND_FAILED, EINVAL, "127.0.0.1");
    // What is no endpoint is no event.
    expect_failure(EINVAL, "tcp");
    expect_failure(EPROTONOSUPPORT, "bla://x");
    second.bind("tcp://127.0.0.1:*");
    EXPECT_EQ(ZMQ_EVENT_LISTENING, events.next().value_or(monitor_event{}).event);
}

TEST_F(monitor_ends_test, an_http_server_at_the_other_end_tells_a_failed_handshake)
{
    raw_listener listener;
    socket client = ctx_.open(ZMQ_DEALER);
    client.set(ZMQ_RECONNECT_IVL, 1);
    monitor events(ctx_, client, ZMQ_EVENT_ALL & ~ZMQ_EVENT_CONNECT_DELAYED);
    client.connect(listener.endpoint());
    for (int i = 0; i < 2; ++i) {
        raw_peer server = listener.accept();
        expect_event(events, ZMQ_EVENT_CONNECTED, listener.endpoint());
        server.send_bytes("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        server.close();
        expect_event(events, ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, listener.endpoint());
        expect_event(events, ZMQ_EVENT_DISCONNECTED, listener.endpoint());
        expect_event(events, ZMQ_EVENT_CONNECT_RETRIED, listener.endpoint());
    }
}

TEST_F(monitor_ends_test, a_handshake_that_takes_too_long_tells_eagain)
{
    socket server = ctx_.open(ZMQ_DEALER);
    server.set(ZMQ_HANDSHAKE_IVL, 30);
    monitor events(ctx_, server, ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_DISCONNECTED);
    const std::string endpoint = server.bind("tcp://127.0.0.1:*");
    raw_peer silent = raw_peer::connect_to(endpoint);
    expect_value(events, ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, EAGAIN, endpoint);
    expect_event(events, ZMQ_EVENT_DISCONNECTED, endpoint);
}

}  // namespace
}  // namespace zlink::test
