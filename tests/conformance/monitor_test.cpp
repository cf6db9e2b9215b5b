// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Socket monitors: which events come, in which order, with which values, and how monitoring starts and stops.

#include "support/raw_peer.hpp"
#include "support/zmq_fixture.hpp"

#include <fcntl.h>
#include <sys/resource.h>

namespace zlink::test {
namespace {

using zlink::test::socket;

constexpr int handshake_failed =
    ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;

bool is_open_descriptor(std::uint32_t fd)
{
    return ::fcntl(static_cast<int>(fd), F_GETFD) != -1;
}

class monitor_test : public zmq_test {
protected:
    /// The numbers of the next `count` events.
    static std::vector<int> next_events(monitor& events, std::size_t count)
    {
        std::vector<int> numbers;
        while (numbers.size() < count) {
            const auto event = events.next();
            if (!event) break;
            numbers.push_back(event->event);
        }
        return numbers;
    }

    /// Binds `s` to a tcp port and takes the LISTENING event off its monitor.
    static std::string listen(socket& s, monitor& events)
    {
        const std::string endpoint = s.bind("tcp://127.0.0.1:*");
        events.await(ZMQ_EVENT_LISTENING);
        return endpoint;
    }
};

TEST_F(monitor_test, bind_tells_listening)
{
    socket server = ctx_.open(ZMQ_PULL);
    monitor events(ctx_, server);
    const std::string endpoint = server.bind("tcp://127.0.0.1:*");
    const auto event = events.next();
    ASSERT_TRUE(event);
    EXPECT_EQ(ZMQ_EVENT_LISTENING, event->event);
    EXPECT_EQ(endpoint, event->endpoint);
    EXPECT_TRUE(is_open_descriptor(event->value)) << "the value is the descriptor";
}

TEST_F(monitor_test, server_sees_accepted_then_handshake_then_disconnected)
{
    socket server = ctx_.open(ZMQ_PULL);
    monitor events(ctx_, server);
    const std::string endpoint = listen(server, events);
    socket client = ctx_.open(ZMQ_PUSH);
    client.connect(endpoint);

    const auto accepted = events.next();
    ASSERT_TRUE(accepted);
    EXPECT_EQ(ZMQ_EVENT_ACCEPTED, accepted->event);
    EXPECT_EQ(endpoint, accepted->endpoint);
    EXPECT_TRUE(is_open_descriptor(accepted->value));
    const auto succeeded = events.next();
    ASSERT_TRUE(succeeded);
    EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_SUCCEEDED, succeeded->event);
    EXPECT_EQ(0U, succeeded->value);
    EXPECT_EQ(endpoint, succeeded->endpoint);

    client.close();
    const auto disconnected = events.next();
    ASSERT_TRUE(disconnected);
    EXPECT_EQ(ZMQ_EVENT_DISCONNECTED, disconnected->event);
    EXPECT_EQ(accepted->value, disconnected->value) << "the descriptor that was accepted";
    EXPECT_EQ(endpoint, disconnected->endpoint);
}

TEST_F(monitor_test, client_sees_connected_then_handshake)
{
    socket server = ctx_.open(ZMQ_PULL);
    const std::string endpoint = server.bind("tcp://127.0.0.1:*");
    socket client = ctx_.open(ZMQ_PUSH);
    monitor events(ctx_, client);
    client.connect(endpoint);

    auto event = events.next();
    ASSERT_TRUE(event);
    if (event->event == ZMQ_EVENT_CONNECT_DELAYED) {  // connect(2) may also succeed at once
        EXPECT_EQ(endpoint, event->endpoint);
        event = events.next();
        ASSERT_TRUE(event);
    }
    EXPECT_EQ(ZMQ_EVENT_CONNECTED, event->event);
    EXPECT_EQ(endpoint, event->endpoint);
    EXPECT_TRUE(is_open_descriptor(event->value));
    event = events.next();
    ASSERT_TRUE(event);
    EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_SUCCEEDED, event->event);
    EXPECT_EQ(0U, event->value);
    EXPECT_EQ(endpoint, event->endpoint);
}

TEST_F(monitor_test, ipc_tells_the_same_story)
{
    socket server = ctx_.open(ZMQ_PULL);
    socket client = ctx_.open(ZMQ_PUSH);
    monitor server_events(ctx_, server);
    monitor client_events(ctx_, client);
    const std::string endpoint = server.bind("ipc://*");
    client.connect(endpoint);
    EXPECT_EQ((std::vector<int>{ZMQ_EVENT_LISTENING, ZMQ_EVENT_ACCEPTED, ZMQ_EVENT_HANDSHAKE_SUCCEEDED}),
              next_events(server_events, 3));
    EXPECT_EQ(endpoint, client_events.await(ZMQ_EVENT_CONNECTED).endpoint);
    client_events.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
    client.close();
    client_events.detach();
    EXPECT_EQ(ZMQ_EVENT_DISCONNECTED, server_events.next().value_or(monitor_event{}).event);
}

TEST_F(monitor_test, inproc_tells_nothing)
{
    socket server = ctx_.open(ZMQ_PULL);
    socket client = ctx_.open(ZMQ_PUSH);
    monitor events(ctx_, server);
    client.connect(server.bind(unique_inproc()));
    client.send("x");
    EXPECT_EQ("x", server.recv());
    EXPECT_FALSE(events.next(50));
}

TEST_F(monitor_test, refused_connect_tells_closed_then_retried)
{
    socket client = ctx_.open(ZMQ_PUSH);
    client.set(ZMQ_RECONNECT_IVL, 30);
    raw_listener nobody;
    const std::string endpoint = nobody.endpoint();
    nobody.close();
    monitor events(ctx_, client);
    client.connect(endpoint);
    for (int round = 0; round < 3; ++round) {
        auto event = events.next();
        ASSERT_TRUE(event);
        if (event->event == ZMQ_EVENT_CONNECT_DELAYED) event = events.next();
        ASSERT_TRUE(event);
        EXPECT_EQ(ZMQ_EVENT_CLOSED, event->event);
        EXPECT_EQ(endpoint, event->endpoint);
        event = events.next();
        ASSERT_TRUE(event);
        EXPECT_EQ(ZMQ_EVENT_CONNECT_RETRIED, event->event);
        EXPECT_EQ(endpoint, event->endpoint);
        EXPECT_GE(event->value, 30U);
        EXPECT_LT(event->value, 60U);
    }
}

TEST_F(monitor_test, lost_server_tells_disconnected_then_retried_then_connected_again)
{
    raw_listener listener;
    socket client = ctx_.open(ZMQ_PUSH);
    client.set(ZMQ_RECONNECT_IVL, 20);
    monitor events(ctx_, client);
    client.connect(listener.endpoint());
    raw_peer server = listener.accept();
    server.handshake(zmtp_version::v3_1, "PULL");
    events.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
    server.close();
    auto event = events.next();
    ASSERT_TRUE(event);
    EXPECT_EQ(ZMQ_EVENT_DISCONNECTED, event->event);
    event = events.next();
    ASSERT_TRUE(event);
    EXPECT_EQ(ZMQ_EVENT_CONNECT_RETRIED, event->event);
    event = events.next();
    ASSERT_TRUE(event);
    if (event->event == ZMQ_EVENT_CONNECT_DELAYED) event = events.next();
    ASSERT_TRUE(event);
    EXPECT_EQ(ZMQ_EVENT_CONNECTED, event->event);
}

TEST_F(monitor_test, unbind_tells_closed)
{
    socket server = ctx_.open(ZMQ_PULL);
    monitor events(ctx_, server);
    const std::string endpoint = server.bind("tcp://127.0.0.1:*");
    const auto listening = events.await(ZMQ_EVENT_LISTENING);
    server.unbind(endpoint);
    const auto event = events.next();
    ASSERT_TRUE(event);
    EXPECT_EQ(ZMQ_EVENT_CLOSED, event->event);
    EXPECT_EQ(listening.value, event->value);
    EXPECT_EQ(endpoint, event->endpoint);
}

TEST_F(monitor_test, a_socket_file_that_is_gone_already_is_no_failure_to_close)
{
    temp_directory directory;
    const std::string path = directory.file("socket");
    socket server = ctx_.open(ZMQ_PULL);
    monitor events(ctx_, server, ZMQ_EVENT_CLOSED | ZMQ_EVENT_CLOSE_FAILED);
    const std::string endpoint = server.bind("ipc://" + path);
    ASSERT_EQ(0, ::unlink(path.c_str()));
    server.unbind(endpoint);
    EXPECT_EQ(ZMQ_EVENT_CLOSED, events.await(ZMQ_EVENT_ALL).event);
    EXPECT_FALSE(events.next(0));
}

TEST_F(monitor_test, bind_failure_tells_the_errno)
{
    socket first = ctx_.open(ZMQ_PULL);
    const std::string endpoint = first.bind("tcp://127.0.0.1:*");
    socket second = ctx_.open(ZMQ_PULL);
    monitor events(ctx_, second);
    EXPECT_EQ(-1, zmq_bind(second, endpoint.c_str()));
    EXPECT_EQ(EADDRINUSE, zmq_errno());
    const auto event = events.await(ZMQ_EVENT_BIND_FAILED);
    EXPECT_EQ(EADDRINUSE, static_cast<int>(event.value));
    EXPECT_NE(std::string::npos, event.endpoint.find(endpoint.substr(endpoint.rfind(':'))));
}

TEST_F(monitor_test, accept_failure_tells_the_errno)
{
    socket server = ctx_.open(ZMQ_PULL);
    monitor events(ctx_, server);
    const std::string endpoint = listen(server, events);
    raw_peer client = raw_peer::connect_to(endpoint);
    events.await(ZMQ_EVENT_ACCEPTED);

    // The second client has its descriptor already when the process may open no more.
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(tcp_peer::port_of(endpoint));
    raw_peer late(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    rlimit before{};
    ASSERT_EQ(0, ::getrlimit(RLIMIT_NOFILE, &before));
    rlimit no_more = before;
    const int lowest_free = ::dup(late.fd());
    ::close(lowest_free);
    no_more.rlim_cur = static_cast<rlim_t>(lowest_free);
    ASSERT_EQ(0, ::setrlimit(RLIMIT_NOFILE, &no_more));
    const int connected = ::connect(late.fd(), reinterpret_cast<sockaddr*>(&address), sizeof address);
    const auto failed = events.next();
    ASSERT_EQ(0, ::setrlimit(RLIMIT_NOFILE, &before));

    EXPECT_EQ(0, connected);
    ASSERT_TRUE(failed);
    EXPECT_EQ(ZMQ_EVENT_ACCEPT_FAILED, failed->event);
    EXPECT_EQ(EMFILE, static_cast<int>(failed->value));
    EXPECT_EQ(endpoint, failed->endpoint);
    events.await(ZMQ_EVENT_ACCEPTED);
}

TEST_F(monitor_test, silent_peer_tells_handshake_failed)
{
    socket server = ctx_.open(ZMQ_PULL);
    server.set(ZMQ_HANDSHAKE_IVL, 50);
    monitor events(ctx_, server);
    const std::string endpoint = listen(server, events);
    raw_peer silent = raw_peer::connect_to(endpoint);
    EXPECT_EQ((std::vector<int>{ZMQ_EVENT_ACCEPTED, ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, ZMQ_EVENT_DISCONNECTED}),
              next_events(events, 3));
    EXPECT_TRUE(silent.wait_for_end());
}

TEST_F(monitor_test, peer_that_goes_during_the_handshake_tells_handshake_failed)
{
    socket server = ctx_.open(ZMQ_PULL);
    monitor events(ctx_, server);
    const std::string endpoint = listen(server, events);
    raw_peer peer = raw_peer::connect_to(endpoint);
    peer.send_bytes(zmtp3_greeting());
    peer.read_bytes(64);
    peer.close();
    EXPECT_EQ((std::vector<int>{ZMQ_EVENT_ACCEPTED, ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, ZMQ_EVENT_DISCONNECTED}),
              next_events(events, 3));
}

TEST_F(monitor_test, other_mechanism_tells_mismatch)
{
    socket server = ctx_.open(ZMQ_PULL);
    monitor events(ctx_, server);
    const std::string endpoint = listen(server, events);
    for (const char* mechanism : {"CURVE", "PLAIN", "NONESUCH"}) {
        raw_peer peer = raw_peer::connect_to(endpoint);
        peer.send_bytes(zmtp3_greeting(1, mechanism));
        const auto event = events.await(handshake_failed);
        EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL, event.event) << mechanism;
        EXPECT_EQ(static_cast<std::uint32_t>(ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH), event.value) << mechanism;
        events.await(ZMQ_EVENT_DISCONNECTED);
        EXPECT_TRUE(peer.wait_for_end()) << mechanism;
    }
}

TEST_F(monitor_test, message_in_place_of_ready_tells_unexpected_command)
{
    socket server = ctx_.open(ZMQ_PULL);
    monitor events(ctx_, server);
    const std::string endpoint = listen(server, events);
    for (const std::string& frame : {zmtp_frame("a message"), zmtp_command("HELLO", "x"), zmtp_command("PING")}) {
        raw_peer peer = raw_peer::connect_to(endpoint);
        peer.send_bytes(zmtp3_greeting() + frame);
        const auto event = events.await(handshake_failed);
        EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL, event.event);
        EXPECT_EQ(static_cast<std::uint32_t>(ZMQ_PROTOCOL_ERROR_ZMTP_UNEXPECTED_COMMAND), event.value);
        EXPECT_TRUE(peer.wait_for_end());
    }
}

TEST_F(monitor_test, broken_error_command_tells_malformed_error)
{
    socket server = ctx_.open(ZMQ_PULL);
    monitor events(ctx_, server);
    const std::string endpoint = listen(server, events);
    raw_peer peer = raw_peer::connect_to(endpoint);
    peer.send_bytes(zmtp3_greeting() + zmtp_command("ERROR", "\x20too short"));
    const auto event = events.await(handshake_failed);
    EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL, event.event);
    EXPECT_EQ(static_cast<std::uint32_t>(ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_ERROR), event.value);
    EXPECT_TRUE(peer.wait_for_end());
}

TEST_F(monitor_test, incompatible_socket_types_never_come_together)
{
    socket server = ctx_.open(ZMQ_PULL);
    monitor events(ctx_, server);
    const std::string endpoint = listen(server, events);
    raw_peer peer = raw_peer::connect_to(endpoint);
    peer.send_bytes(zmtp3_greeting() + zmtp_ready("PULL"));
    EXPECT_TRUE(peer.wait_for_end());
    events.await(ZMQ_EVENT_DISCONNECTED);
}

TEST_F(monitor_test, tells_only_the_events_asked_for)
{
    socket server = ctx_.open(ZMQ_PULL);
    monitor events(ctx_, server, ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_LISTENING);
    const std::string endpoint = server.bind("tcp://127.0.0.1:*");
    socket client = ctx_.open(ZMQ_PUSH);
    client.connect(endpoint);
    client.send("x");
    EXPECT_EQ("x", server.recv());
    client.close();
    EXPECT_EQ((std::vector<int>{ZMQ_EVENT_LISTENING, ZMQ_EVENT_DISCONNECTED}), next_events(events, 2));
}

/// Reads raw frames from a monitor endpoint, for tests that look at how monitoring begins and ends.
class raw_monitor {
public:
    raw_monitor(context& ctx, const std::string& endpoint) : reader_(ctx.open(ZMQ_PAIR)) { reader_.connect(endpoint); }

    parts next() { return reader_.recv_parts(); }

    /// The number of the next event.
    int next_event()
    {
        const parts frames = next();
        if (frames.empty() || frames[0].size() < 2) return -1;
        std::uint16_t number = 0;
        std::memcpy(&number, frames[0].data(), sizeof number);
        return number;
    }

private:
    socket reader_;
};

TEST_F(monitor_test, event_is_six_octets_and_the_endpoint)
{
    socket server = ctx_.open(ZMQ_PULL);
    const std::string at = unique_inproc();
    ASSERT_EQ(0, zmq_socket_monitor(server, at.c_str(), ZMQ_EVENT_ALL));
    raw_monitor events(ctx_, at);
    const std::string endpoint = server.bind("tcp://127.0.0.1:*");
    const parts frames = events.next();
    ASSERT_EQ(2U, frames.size());
    ASSERT_EQ(6U, frames[0].size());
    std::uint16_t number = 0;
    std::uint32_t value = 0;
    std::memcpy(&number, frames[0].data(), 2);
    std::memcpy(&value, frames[0].data() + 2, 4);
    EXPECT_EQ(ZMQ_EVENT_LISTENING, number);
    EXPECT_TRUE(is_open_descriptor(value));
    EXPECT_EQ(endpoint, frames[1]) << "without a terminator";
}

TEST_F(monitor_test, null_endpoint_ends_monitoring)
{
    socket server = ctx_.open(ZMQ_PULL);
    const std::string at = unique_inproc();
    ASSERT_EQ(0, zmq_socket_monitor(server, at.c_str(), ZMQ_EVENT_ALL));
    raw_monitor events(ctx_, at);
    ASSERT_EQ(0, zmq_socket_monitor(server, nullptr, 0));
    EXPECT_EQ(ZMQ_EVENT_MONITOR_STOPPED, events.next_event());
    server.bind("tcp://127.0.0.1:*");
    server.close();  // events of this kind have nowhere to go any more
}

TEST_F(monitor_test, null_endpoint_without_a_monitor_is_no_error)
{
    socket server = ctx_.open(ZMQ_PULL);
    EXPECT_EQ(0, zmq_socket_monitor(server, nullptr, 0));
}

TEST_F(monitor_test, closing_the_socket_ends_monitoring)
{
    socket server = ctx_.open(ZMQ_PULL);
    const std::string at = unique_inproc();
    ASSERT_EQ(0, zmq_socket_monitor(server, at.c_str(), ZMQ_EVENT_ALL));
    raw_monitor events(ctx_, at);
    server.bind("tcp://127.0.0.1:*");
    server.close();
    EXPECT_EQ(ZMQ_EVENT_LISTENING, events.next_event());
    EXPECT_EQ(ZMQ_EVENT_CLOSED, events.next_event());
    EXPECT_EQ(ZMQ_EVENT_MONITOR_STOPPED, events.next_event());
}

TEST_F(monitor_test, new_monitor_replaces_the_old)
{
    socket server = ctx_.open(ZMQ_PULL);
    const std::string first_at = unique_inproc();
    const std::string second_at = unique_inproc();
    ASSERT_EQ(0, zmq_socket_monitor(server, first_at.c_str(), ZMQ_EVENT_ALL));
    raw_monitor first(ctx_, first_at);
    ASSERT_EQ(0, zmq_socket_monitor(server, second_at.c_str(), ZMQ_EVENT_ALL));
    raw_monitor second(ctx_, second_at);
    EXPECT_EQ(ZMQ_EVENT_MONITOR_STOPPED, first.next_event());
    server.bind("tcp://127.0.0.1:*");
    EXPECT_EQ(ZMQ_EVENT_LISTENING, second.next_event());
}

TEST_F(monitor_test, events_before_the_reader_connects_are_kept)
{
    socket server = ctx_.open(ZMQ_PULL);
    const std::string at = unique_inproc();
    ASSERT_EQ(0, zmq_socket_monitor(server, at.c_str(), ZMQ_EVENT_ALL));
    raw_monitor events(ctx_, at);
    std::vector<std::string> endpoints;
    for (int i = 0; i < 20; ++i) endpoints.push_back(server.bind("tcp://127.0.0.1:*"));
    for (const std::string& endpoint : endpoints) EXPECT_EQ(endpoint, events.next().at(1));
}

TEST_F(monitor_test, endpoint_must_be_inproc)
{
    socket server = ctx_.open(ZMQ_PULL);
    for (const char* endpoint : {"tcp://127.0.0.1:9999", "ipc://monitor", "bogus://monitor"}) {
        EXPECT_EQ(-1, zmq_socket_monitor(server, endpoint, ZMQ_EVENT_ALL)) << endpoint;
        EXPECT_EQ(EPROTONOSUPPORT, zmq_errno()) << endpoint;
    }
    for (const char* endpoint : {"", "nonsense", "inproc:/monitor", "inproc://"}) {
        EXPECT_EQ(-1, zmq_socket_monitor(server, endpoint, ZMQ_EVENT_ALL)) << endpoint;
        EXPECT_EQ(EINVAL, zmq_errno()) << endpoint;
    }
}

TEST_F(monitor_test, endpoint_in_use_is_refused)
{
    socket taken = ctx_.open(ZMQ_PAIR);
    const std::string at = unique_inproc();
    taken.bind(at);
    socket server = ctx_.open(ZMQ_PULL);
    EXPECT_EQ(-1, zmq_socket_monitor(server, at.c_str(), ZMQ_EVENT_ALL));
    EXPECT_EQ(EADDRINUSE, zmq_errno());
}

TEST_F(monitor_test, says_eterm_after_shutdown)
{
    socket server = ctx_.open(ZMQ_PULL);
    ctx_.shutdown();
    EXPECT_EQ(-1, zmq_socket_monitor(server, "inproc://late", ZMQ_EVENT_ALL));
    EXPECT_EQ(ETERM, zmq_errno());
}

}  // namespace
}  // namespace zlink::test
