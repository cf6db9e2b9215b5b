// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Heartbeats: when a connection is pinged, what counts as life, and when a silent peer is given up.
#include "support/raw_peer.hpp"
#include "support/zmq_fixture.hpp"

#include <atomic>
#include <functional>
#include <thread>

namespace zlink::test {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using zlink::test::socket;

class heartbeat_test : public zmq_test {
protected:
    /// Opens a monitored PULL socket with these heartbeat options and a raw PUSH peer that has shaken hands with it.
    void start(int interval, int timeout = -1, int ttl = 0, zmtp_version version = zmtp_version::v3_1)
    {
        server_ = ctx_.open(ZMQ_PULL);
        server_.set(ZMQ_HEARTBEAT_IVL, interval);
        if (timeout != -1) server_.set(ZMQ_HEARTBEAT_TIMEOUT, timeout);
        server_.set(ZMQ_HEARTBEAT_TTL, ttl);
        events_.emplace(ctx_, server_);
        peer_.emplace(raw_peer::connect_to(server_.bind("tcp://127.0.0.1:*")));
        peer_->handshake(version, "PUSH");
    }

    void TearDown() override { events_.reset(); }

    socket server_;
    std::optional<monitor> events_;
    std::optional<raw_peer> peer_;
};

TEST_F(heartbeat_test, is_off_by_default)
{
    start(0);
    EXPECT_TRUE(peer_->is_silent_for(milliseconds(150)));
}

TEST_F(heartbeat_test, pings_at_the_interval_and_tells_the_ttl)
{
    start(30, 5000, 1500);
    for (int i = 0; i < 3; ++i) {
        const raw_frame ping = peer_->read_frame();
        ASSERT_TRUE(ping.is_command());
        EXPECT_FALSE(ping.more());
        ASSERT_EQ("PING", ping.name());
        ASSERT_LE(2U, ping.data().size());
        EXPECT_EQ(15U, from_big_endian(ping.data().substr(0, 2))) << "in tenths of a second";
        EXPECT_GE(18U, ping.data().size()) << "at most 16 octets of context";
        peer_->send_command("PONG", ping.data().substr(2));
    }
}

TEST_F(heartbeat_test, ttl_of_zero_is_told_too)
{
    start(30, 5000);
    const raw_frame ping = peer_->read_frame();
    ASSERT_EQ("PING", ping.name());
    EXPECT_EQ(0U, from_big_endian(ping.data().substr(0, 2)));
}

// libzmq 4.2 to 4.3.2 announce ZMTP 3.0 and have heartbeats.
TEST_F(heartbeat_test, peers_that_announce_version_3_point_0_are_pinged_too)
{
    start(20, 80, 0, zmtp_version::v3_0);
    EXPECT_EQ("PING", peer_->read_frame().name());
    EXPECT_TRUE(peer_->wait_for_end()) << "silent";
    events_->await(ZMQ_EVENT_DISCONNECTED);
}

TEST_F(heartbeat_test, answered_pings_keep_the_connection)
{
    start(20, 200);
    for (int i = 0; i < 20; ++i) {
        const raw_frame ping = peer_->read_frame();
        ASSERT_EQ("PING", ping.name());
        peer_->send_command("PONG", ping.data().substr(2));
    }
    peer_->send_message({"alive"});
    EXPECT_EQ("alive", server_.recv());
    EXPECT_EQ(0, server_.drain().size()) << "PONG is no message";
}

TEST_F(heartbeat_test, silent_peer_is_disconnected_after_the_timeout)
{
    start(20, 80);
    const auto start = clock::now();
    EXPECT_TRUE(peer_->wait_for_end());
    EXPECT_GE(clock::now() - start, milliseconds(60));
    events_->await(ZMQ_EVENT_DISCONNECTED);
}

TEST_F(heartbeat_test, timeout_is_the_interval_unless_set)
{
    start(50);
    EXPECT_TRUE(peer_->wait_for_end());
    events_->await(ZMQ_EVENT_DISCONNECTED);
}

TEST_F(heartbeat_test, traffic_counts_as_life)
{
    start(30, 150);
    // Pings are left unanswered, but messages keep coming.
    for (int i = 0; i < 25; ++i) {
        peer_->send_message({std::to_string(i)});
        EXPECT_EQ(std::to_string(i), server_.recv());
        (void)peer_->read_frame();
    }
    peer_->send_message({"alive"});
    EXPECT_EQ("alive", server_.recv());
}

// Though a message takes its time, and nothing of it is readable before its end.
TEST_F(heartbeat_test, octets_of_a_long_message_count_as_life)
{
    start(50, 1000);
    const auto start = clock::now();
    const std::string message = zmtp_frame(std::string(100'000, 'm'));
    std::size_t sent = 0;
    for (; clock::now() - start < milliseconds(1600); ++sent) {
        peer_->send_bytes(message.substr(sent, 1));
        (void)peer_->read_frame();
    }
    peer_->send_bytes(message.substr(sent));
    EXPECT_EQ(100'000U, server_.recv().size());
}

TEST_F(heartbeat_test, octets_that_the_program_is_not_ready_to_read_count_as_life)
{
    server_ = ctx_.open(ZMQ_PULL);
    server_.set(ZMQ_RCVHWM, 1);
    server_.set(ZMQ_HEARTBEAT_IVL, 50);
    server_.set(ZMQ_HEARTBEAT_TIMEOUT, 500);
    events_.emplace(ctx_, server_, ZMQ_EVENT_DISCONNECTED);
    peer_.emplace(raw_peer::connect_to(server_.bind("tcp://127.0.0.1:*")));
    peer_->handshake(zmtp_version::v3_1, "PUSH");
    constexpr int messages = 100;
    for (int i = 0; i < messages; ++i) peer_->send_message({std::string(10'000, 'm')});
    EXPECT_FALSE(events_->next(900));
    for (int i = 0; i < messages; ++i) EXPECT_EQ(10'000U, server_.recv().size());
}

// A connection that is written to as fast as the peer reads. Its kernel buffers are small and always full.
class busy_heartbeat_test : public heartbeat_test {
protected:
    void start_busy()
    {
        server_ = ctx_.open(ZMQ_DEALER);
        server_.set(ZMQ_HEARTBEAT_IVL, 20);
        server_.set(ZMQ_HEARTBEAT_TIMEOUT, 0);
        server_.set(ZMQ_SNDBUF, 32 * 1024);
        server_.set(ZMQ_SNDTIMEO, 20);
        peer_.emplace(raw_peer::connect_to(server_.bind("tcp://127.0.0.1:*")));
        const int small = 32 * 1024;
        ASSERT_EQ(0, ::setsockopt(peer_->fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small));
        peer_->handshake(zmtp_version::v3_1, "DEALER");
    }

    /// `send` again and again while `script` reads.
    static void flood(const std::function<void()>& send, const std::function<void()>& script)
    {
        std::atomic<bool> over{false};
        std::thread sender([&] {
            while (!over) send();
        });
        try {
            script();
        } catch (const std::exception& e) {
            ADD_FAILURE() << e.what();
        }
        over = true;
        sender.join();
    }
};

TEST_F(busy_heartbeat_test, pings_go_out_between_messages)
{
    start_busy();
    const std::string body(1000, 'm');
    const auto send = [&] {
        if (zmq_send(server_, body.data(), body.size(), ZMQ_SNDMORE) >= 0) {
            zmq_send(server_, body.data(), body.size(), 0);
        }
    };
    flood(send, [&] {
        for (int pings = 0; pings < 5;) {
            const raw_frame frame = peer_->read_frame();
            if (!frame.is_command()) continue;
            ASSERT_EQ("PING", frame.name());
            ++pings;
        }
    });
}

TEST_F(busy_heartbeat_test, pings_of_the_peer_are_answered)
{
    start_busy();
    const std::string body(1000, 'm');
    const auto send = [&] { zmq_send(server_, body.data(), body.size(), 0); };
    flood(send, [&] {
        for (const char* context : {"first", "second", "third"}) {
            peer_->send_command("PING", big_endian(0, 2) + context);
            EXPECT_EQ(context, peer_->read_command("PONG").data());
        }
    });
}

// Nobody can wait for the end of a message that takes minutes.
TEST_F(busy_heartbeat_test, pings_go_out_inside_a_long_message)
{
    start_busy();
    constexpr int frames = 3000;
    const std::string body(1000, 'm');
    server_.set(ZMQ_SNDTIMEO, 5000);
    std::thread sender([&] {
        for (int i = 1; i <= frames; ++i) {
            zmq_send(server_, body.data(), body.size(), i < frames ? ZMQ_SNDMORE : 0);
        }
    });
    int pings = 0;
    for (int i = 0; i < frames;) {
        const raw_frame frame = peer_->read_frame();
        if (frame.is_command()) {
            ++pings;
        } else {
            ++i;
            ASSERT_EQ(i < frames, frame.more());
            if (i == 1) std::this_thread::sleep_for(milliseconds(60));  // the next PING is due
        }
    }
    EXPECT_LE(1, pings);
    sender.join();
}

TEST_F(heartbeat_test, ping_is_answered_with_its_context)
{
    start(0);
    for (const std::string& context : {std::string(), std::string("c"), std::string("16 octets of it!")}) {
        peer_->send_command("PING", big_endian(0, 2) + context);
        const raw_frame pong = peer_->read_frame();
        ASSERT_TRUE(pong.is_command());
        EXPECT_EQ("PONG", pong.name());
        EXPECT_EQ(context, pong.data());
    }
    peer_->send_command("PING", big_endian(0, 2) + "16 octets of it!, and more");
    EXPECT_EQ("16 octets of it!", peer_->read_frame().data());
    peer_->send_message({"alive"});
    EXPECT_EQ("alive", server_.recv());
}

TEST_F(heartbeat_test, pings_that_come_together_are_answered_each)
{
    start(0);
    constexpr int together = 100;
    std::string wire;
    for (int i = 0; i < together; ++i) wire += zmtp_command("PING", big_endian(0, 2) + std::to_string(i));
    peer_->send_bytes(wire);
    for (int i = 0; i < together; ++i) {
        const raw_frame pong = peer_->read_frame();
        ASSERT_EQ("PONG", pong.name());
        ASSERT_EQ(std::to_string(i), pong.data());
    }
}

// What a peer leaves unread of its answers stays in the kernel's buffers; the process keeps some of the newest.
TEST_F(heartbeat_test, peer_that_reads_no_answers_gets_the_newest)
{
    constexpr int pings = 200'000;
    constexpr int most_answers = 20'000;  // some 500 KB, more than the buffers hold
    server_ = ctx_.open(ZMQ_PULL);
    server_.set(ZMQ_SNDBUF, 4096);
    peer_.emplace(raw_peer::connect_to(server_.bind("tcp://127.0.0.1:*")));
    // Much smaller, and the kernel drops what comes with the acknowledgements in it.
    const int small = 64 * 1024;
    ASSERT_EQ(0, ::setsockopt(peer_->fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small));
    peer_->handshake(zmtp_version::v3_1, "PUSH");
    std::string wire;
    for (int i = 0; i < pings; ++i) wire += zmtp_command("PING", big_endian(0, 2) + big_endian(std::uint64_t(i), 8));
    peer_->send_bytes(wire);
    peer_->send_message({"all sent"});
    EXPECT_EQ("all sent", server_.recv());

    int answers = 0;
    std::uint64_t last = 0;
    while (last != pings - 1) {
        const raw_frame pong = peer_->read_frame();
        ASSERT_EQ("PONG", pong.name());
        last = from_big_endian(pong.data());
        ASSERT_GT(most_answers, ++answers);
    }
}

TEST_F(heartbeat_test, ttl_of_the_peer_is_honoured)
{
    start(0);
    const auto start = clock::now();
    peer_->send_command("PING", big_endian(2, 2));
    EXPECT_EQ("PONG", peer_->read_frame().name());
    EXPECT_TRUE(peer_->wait_for_end());
    EXPECT_GE(clock::now() - start, milliseconds(180)) << "two tenths of a second";
    events_->await(ZMQ_EVENT_DISCONNECTED);
}

// Not together with the handshake, and after other traffic.
TEST_F(heartbeat_test, ttl_of_a_later_ping_is_honoured)
{
    start(0);
    peer_->send_command("PING", big_endian(0, 2));
    EXPECT_EQ("PONG", peer_->read_frame().name());
    peer_->send_message({"a message"});
    EXPECT_EQ("a message", server_.recv());
    peer_->send_command("PING", big_endian(2, 2));
    EXPECT_EQ("PONG", peer_->read_frame().name());
    EXPECT_TRUE(peer_->wait_for_end());
    events_->await(ZMQ_EVENT_DISCONNECTED);
}

TEST_F(heartbeat_test, ttl_is_renewed_by_traffic)
{
    start(0);
    const auto start = clock::now();
    while (clock::now() - start < milliseconds(900)) {
        peer_->send_command("PING", big_endian(4, 2) + "x");
        ASSERT_EQ("PONG", peer_->read_frame().name());
        ASSERT_TRUE(peer_->is_silent_for(milliseconds(50)));
    }
    peer_->send_message({"alive"});
    EXPECT_EQ("alive", server_.recv());
}

TEST_F(heartbeat_test, between_the_frames_of_a_multipart)
{
    start(0);
    peer_->send_bytes(zmtp_frame("first", more_bit) + zmtp_command("PING", big_endian(0, 2)) + zmtp_frame("last"));
    EXPECT_EQ("PONG", peer_->read_frame().name());
    EXPECT_EQ((parts{"first", "last"}), server_.recv_parts());
}

TEST_F(heartbeat_test, client_pings_too)
{
    raw_listener listener;
    socket client = ctx_.open(ZMQ_DEALER);
    client.set(ZMQ_HEARTBEAT_IVL, 30);
    client.set(ZMQ_HEARTBEAT_TIMEOUT, 100);
    client.set(ZMQ_RECONNECT_IVL, 10);
    client.connect(listener.endpoint());
    raw_peer server = listener.accept();
    server.handshake(zmtp_version::v3_1, "ROUTER");
    EXPECT_EQ("PING", server.read_frame().name());
    EXPECT_TRUE(server.wait_for_end());
    listener.accept();  // and it comes back
}

TEST_F(heartbeat_test, two_sockets_keep_each_other_alive)
{
    socket client = ctx_.open(ZMQ_DEALER);
    socket server = ctx_.open(ZMQ_DEALER);
    for (socket* s : {&client, &server}) {
        s->set(ZMQ_HEARTBEAT_IVL, 20);
        s->set(ZMQ_HEARTBEAT_TIMEOUT, 500);
        s->set(ZMQ_HEARTBEAT_TTL, 500);
    }
    monitor events(ctx_, client, ZMQ_EVENT_DISCONNECTED);
    client.connect(server.bind("tcp://127.0.0.1:*"));
    client.send("x");
    EXPECT_EQ("x", server.recv());
    EXPECT_FALSE(events.next(800));
    client.send("y");
    EXPECT_EQ("y", server.recv());
}

}  // namespace
}  // namespace zlink::test
