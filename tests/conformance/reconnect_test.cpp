// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Connections that are lost, refused, silent or slow: retries and their intervals, time limits.
#include "support/raw_peer.hpp"
#include "support/zmq_fixture.hpp"

#include <array>
#include <thread>

namespace zlink::test {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using zlink::test::socket;

/// ZMQ_RECONNECT_STOP, which the header names among the drafts only.
constexpr int reconnect_stop = 109;
constexpr int reconnect_stop_conn_refused = 1;

/// An endpoint at which nobody listens.
std::string deserted_endpoint()
{
    raw_listener listener;
    return listener.endpoint();
}

class reconnect_test : public zmq_test {};

TEST_F(reconnect_test, interval_stays_without_a_maximum)
{
    socket client = ctx_.open(ZMQ_PUSH);
    client.set(ZMQ_RECONNECT_IVL, 10);
    monitor events(ctx_, client, ZMQ_EVENT_CONNECT_RETRIED);
    client.connect(deserted_endpoint());
    for (int i = 0; i < 8; ++i) {
        const auto event = events.await(ZMQ_EVENT_CONNECT_RETRIED);
        EXPECT_GE(event.value, 10U);
        EXPECT_LT(event.value, 20U) << "the interval plus a random part below it";
    }
}

// libzmq 4.3.5 waits for exactly half of each step, or for the maximum; zlink for anything between half and whole.
TEST_F(reconnect_test, interval_doubles_up_to_the_maximum)
{
    socket client = ctx_.open(ZMQ_PUSH);
    client.set(ZMQ_RECONNECT_IVL, 8);
    client.set(ZMQ_RECONNECT_IVL_MAX, 50);
    monitor events(ctx_, client, ZMQ_EVENT_CONNECT_RETRIED);
    client.connect(deserted_endpoint());
    for (const std::uint32_t step : {16U, 32U, 50U, 50U, 50U, 50U}) {
        const auto event = events.await(ZMQ_EVENT_CONNECT_RETRIED);
        EXPECT_GE(event.value, step / 2);
        EXPECT_LE(event.value, step) << "never above the maximum";
    }
}

TEST_F(reconnect_test, maximum_below_the_interval_is_ignored)
{
    socket client = ctx_.open(ZMQ_PUSH);
    client.set(ZMQ_RECONNECT_IVL, 20);
    client.set(ZMQ_RECONNECT_IVL_MAX, 10);
    monitor events(ctx_, client, ZMQ_EVENT_CONNECT_RETRIED);
    client.connect(deserted_endpoint());
    for (int i = 0; i < 3; ++i) {
        const auto event = events.await(ZMQ_EVENT_CONNECT_RETRIED);
        EXPECT_GE(event.value, 20U);
        EXPECT_LT(event.value, 40U);
    }
}

TEST_F(reconnect_test, waits_for_the_interval_it_told)
{
    socket client = ctx_.open(ZMQ_PUSH);
    client.set(ZMQ_RECONNECT_IVL, 50);
    monitor events(ctx_, client);
    client.connect(deserted_endpoint());
    const auto retried = events.await(ZMQ_EVENT_CONNECT_RETRIED);
    const auto start = clock::now();
    events.await(ZMQ_EVENT_CLOSED);
    EXPECT_GE(clock::now() - start, milliseconds(retried.value) - milliseconds(15));
}

TEST_F(reconnect_test, minus_one_never_retries)
{
    socket client = ctx_.open(ZMQ_PUSH);
    client.set(ZMQ_RECONNECT_IVL, -1);
    monitor events(ctx_, client);
    client.connect(deserted_endpoint());
    events.await(ZMQ_EVENT_CLOSED);
    EXPECT_FALSE(events.next(150));
}

TEST_F(reconnect_test, minus_one_never_comes_back_after_a_loss)
{
    raw_listener listener;
    socket client = ctx_.open(ZMQ_PUSH);
    client.set(ZMQ_RECONNECT_IVL, -1);
    monitor events(ctx_, client);
    client.connect(listener.endpoint());
    raw_peer server = listener.accept();
    server.handshake(zmtp_version::v3_1, "PULL");
    events.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
    server.close();
    events.await(ZMQ_EVENT_DISCONNECTED);
    EXPECT_FALSE(listener.has_connection_within(milliseconds(150)));
}

TEST_F(reconnect_test, stops_when_refused_if_told_so)
{
    socket client = ctx_.open(ZMQ_PUSH);
    client.set(ZMQ_RECONNECT_IVL, 10);
    client.set(reconnect_stop, reconnect_stop_conn_refused);
    monitor events(ctx_, client);
    client.connect(deserted_endpoint());
    events.await(ZMQ_EVENT_CLOSED);
    EXPECT_FALSE(events.next(150));
}

TEST_F(reconnect_test, queued_messages_arrive_once_the_server_is_there)
{
    socket client = ctx_.open(ZMQ_PUSH);
    client.set(ZMQ_RECONNECT_IVL, 10);
    const std::string endpoint = deserted_endpoint();
    monitor events(ctx_, client);
    client.connect(endpoint);
    for (int i = 0; i < 100; ++i) client.send(std::to_string(i));
    events.await(ZMQ_EVENT_CONNECT_RETRIED);
    socket server = ctx_.open(ZMQ_PULL);
    server.bind(endpoint);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(std::to_string(i), server.recv());
}

TEST_F(reconnect_test, comes_back_after_every_loss)
{
    raw_listener listener;
    socket client = ctx_.open(ZMQ_PAIR);
    client.set(ZMQ_RECONNECT_IVL, 10);
    client.connect(listener.endpoint());
    for (int round = 0; round < 5; ++round) {
        raw_peer server = listener.accept();
        server.handshake(zmtp_version::v3_1, "PAIR");
        server.send_message({"round " + std::to_string(round)});
        EXPECT_EQ("round " + std::to_string(round), client.recv());
        if (round % 2 == 0) {
            server.close();
        } else {
            server.reset();
        }
    }
}

TEST_F(reconnect_test, interval_starts_anew_after_a_success)
{
    raw_listener listener;
    socket client = ctx_.open(ZMQ_PUSH);
    client.set(ZMQ_RECONNECT_IVL, 10);
    client.set(ZMQ_RECONNECT_IVL_MAX, 1000);
    monitor events(ctx_, client);
    client.connect(listener.endpoint());
    for (int round = 0; round < 4; ++round) {
        raw_peer server = listener.accept();
        server.handshake(zmtp_version::v3_1, "PULL");
        events.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
        server.close();
        const auto event = events.await(ZMQ_EVENT_CONNECT_RETRIED);
        EXPECT_GE(event.value, 10U);
        EXPECT_LT(event.value, 20U) << round;
    }
}

TEST_F(reconnect_test, half_received_multipart_is_dropped)
{
    raw_listener listener;
    socket client = ctx_.open(ZMQ_PULL);
    client.set(ZMQ_RECONNECT_IVL, 10);
    client.connect(listener.endpoint());
    {
        raw_peer server = listener.accept();
        server.handshake(zmtp_version::v3_1, "PUSH");
        server.send_message({"whole"});
        EXPECT_EQ("whole", client.recv());
        server.send_bytes(zmtp_frame("half of a message", more_bit));
    }
    raw_peer server = listener.accept();
    server.handshake(zmtp_version::v3_1, "PUSH");
    server.send_message({"next"});
    EXPECT_EQ(parts{"next"}, client.recv_parts());
}

TEST_F(reconnect_test, complete_messages_of_a_lost_peer_stay_readable)
{
    socket server = ctx_.open(ZMQ_PULL);
    monitor events(ctx_, server);
    const std::string endpoint = server.bind("tcp://127.0.0.1:*");
    {
        raw_peer peer = raw_peer::connect_to(endpoint);
        peer.handshake(zmtp_version::v3_1, "PUSH");
        for (int i = 0; i < 10; ++i) peer.send_message({std::to_string(i)});
    }
    events.await(ZMQ_EVENT_DISCONNECTED);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(std::to_string(i), server.recv());
}

TEST_F(reconnect_test, subscriptions_are_sent_again)
{
    raw_listener listener;
    socket client = ctx_.open(ZMQ_SUB);
    client.set(ZMQ_RECONNECT_IVL, 10);
    client.subscribe("topic");
    client.connect(listener.endpoint());
    for (int round = 0; round < 3; ++round) {
        // libzmq sends them when the application next calls into the socket, so one call waits meanwhile.
        std::thread receiving([&] { EXPECT_EQ("topic!", client.recv()); });
        try {
            raw_peer server = listener.accept();
            server.handshake(zmtp_version::v3_0, "PUB");
            EXPECT_EQ(parts{"\x01topic"}, server.read_message());
            server.send_message({"topic!"});
        } catch (const raw_peer_error& error) {
            ADD_FAILURE() << error.what();
        }
        receiving.join();
    }
}

TEST_F(reconnect_test, without_immediate_messages_queue_for_a_peer_that_is_not_there)
{
    socket client = ctx_.open(ZMQ_PUSH);
    client.connect(deserted_endpoint());
    EXPECT_EQ(0, client.try_send("queued"));
}

TEST_F(reconnect_test, with_immediate_messages_wait_for_the_connection)
{
    raw_listener listener;
    socket client = ctx_.open(ZMQ_PUSH);
    client.set(ZMQ_IMMEDIATE, 1);
    client.set(ZMQ_RECONNECT_IVL, 10);
    client.connect(listener.endpoint());
    EXPECT_EQ(EAGAIN, client.try_send("too early"));
    raw_peer server = listener.accept();
    EXPECT_EQ(EAGAIN, client.try_send("still too early"));
    server.handshake(zmtp_version::v3_1, "PULL");
    EXPECT_TRUE(client.writable(patience_ms));
    client.send("now");
    EXPECT_EQ(parts{"now"}, server.read_message());
}

class time_limits_test : public zmq_test {};

TEST_F(time_limits_test, handshake_ivl_ends_a_silent_client)
{
    socket server = ctx_.open(ZMQ_PULL);
    server.set(ZMQ_HANDSHAKE_IVL, 60);
    monitor events(ctx_, server);
    const std::string endpoint = server.bind("tcp://127.0.0.1:*");
    const auto start = clock::now();
    raw_peer silent = raw_peer::connect_to(endpoint);
    EXPECT_TRUE(silent.wait_for_end());
    EXPECT_GE(clock::now() - start, milliseconds(50));
    events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL);
    events.await(ZMQ_EVENT_DISCONNECTED);
}

TEST_F(time_limits_test, handshake_ivl_ends_a_client_that_stops_halfway)
{
    socket server = ctx_.open(ZMQ_PULL);
    server.set(ZMQ_HANDSHAKE_IVL, 60);
    const std::string endpoint = server.bind("tcp://127.0.0.1:*");
    for (const std::size_t sent :
         {std::size_t{1}, std::size_t{10}, std::size_t{11}, std::size_t{63}, std::size_t{64}}) {
        raw_peer peer = raw_peer::connect_to(endpoint);
        peer.send_bytes(zmtp3_greeting().substr(0, sent));
        EXPECT_TRUE(peer.wait_for_end()) << sent;
    }
}

TEST_F(time_limits_test, handshake_ivl_makes_a_client_try_again)
{
    raw_listener listener;
    socket client = ctx_.open(ZMQ_PUSH);
    client.set(ZMQ_HANDSHAKE_IVL, 40);
    client.set(ZMQ_RECONNECT_IVL, 10);
    monitor events(ctx_, client);
    client.connect(listener.endpoint());
    raw_peer silent = listener.accept();
    EXPECT_TRUE(silent.wait_for_end());
    events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL);
    events.await(ZMQ_EVENT_CONNECT_RETRIED);
    raw_peer server = listener.accept();
    server.handshake(zmtp_version::v3_1, "PULL");
    client.send("at last");
    EXPECT_EQ(parts{"at last"}, server.read_message());
}

TEST_F(time_limits_test, handshake_ivl_does_not_touch_a_ready_connection)
{
    socket server = ctx_.open(ZMQ_PULL);
    server.set(ZMQ_HANDSHAKE_IVL, 40);
    const std::string endpoint = server.bind("tcp://127.0.0.1:*");
    raw_peer peer = raw_peer::connect_to(endpoint);
    peer.handshake(zmtp_version::v3_1, "PUSH");
    EXPECT_TRUE(peer.is_silent_for(milliseconds(120)));
    peer.send_message({"still here"});
    EXPECT_EQ("still here", server.recv());
}

/// A listener whose queue of waiting connections is full, so that the system ignores further ones.
class full_listener {
public:
    full_listener()
    {
        fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        address_.sin_family = AF_INET;
        address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address_;
        EXPECT_EQ(0, ::bind(fd_, reinterpret_cast<sockaddr*>(&address_), size));
        EXPECT_EQ(0, ::listen(fd_, 0));
        EXPECT_EQ(0, ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address_), &size));
        for (int& filler : fillers_) {
            filler = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
            (void)::connect(filler, reinterpret_cast<sockaddr*>(&address_), size);
        }
    }

    full_listener(const full_listener&) = delete;
    full_listener& operator=(const full_listener&) = delete;

    ~full_listener()
    {
        for (const int filler : fillers_) ::close(filler);
        ::close(fd_);
    }

    std::string endpoint() const { return "tcp://127.0.0.1:" + std::to_string(ntohs(address_.sin_port)); }

private:
    int fd_ = -1;
    sockaddr_in address_{};
    std::array<int, 4> fillers_{};
};

TEST_F(time_limits_test, connect_timeout_gives_up_and_tries_again)
{
    full_listener listener;
    socket client = ctx_.open(ZMQ_PUSH);
    client.set(ZMQ_CONNECT_TIMEOUT, 80);
    client.set(ZMQ_RECONNECT_IVL, 10);
    monitor events(ctx_, client);
    const auto start = clock::now();
    client.connect(listener.endpoint());
    for (int round = 0; round < 2; ++round) {
        events.await(ZMQ_EVENT_CONNECT_DELAYED);
        events.await(ZMQ_EVENT_CLOSED);
        events.await(ZMQ_EVENT_CONNECT_RETRIED);
    }
    EXPECT_GE(clock::now() - start, milliseconds(140));
}

TEST_F(time_limits_test, without_connect_timeout_the_system_decides)
{
    full_listener listener;
    socket client = ctx_.open(ZMQ_PUSH);
    monitor events(ctx_, client);
    client.connect(listener.endpoint());
    events.await(ZMQ_EVENT_CONNECT_DELAYED);
    EXPECT_FALSE(events.next(200));
}

}  // namespace
}  // namespace zlink::test
