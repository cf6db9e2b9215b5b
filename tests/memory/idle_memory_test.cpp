// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What connections keep a moment after they fell idle, whatever they did before: counted by malloc, in octets that are
// in use.
#include "allocations.hpp"
#include "support/raw_peer.hpp"
#include "support/zmq_fixture.hpp"

#include <gtest/gtest.h>
#include <zmq.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t most_idle = 8 * 1024;

// It takes a second; a busy machine may take longer.
constexpr std::chrono::seconds patience{30};

/// Octets in use, once they are `most` or fewer; or at the end of patience.
std::size_t settled(std::size_t most)
{
    const auto until = std::chrono::steady_clock::now() + patience;
    while (zlink::test::octets_in_use() > most && std::chrono::steady_clock::now() < until) {
        // Nothing tells of it.
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return zlink::test::octets_in_use();
}

class idle_memory_test : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override
    {
        context_ = zmq_ctx_new();
        ASSERT_NE(nullptr, context_);
    }
    ~idle_memory_test() override
    {
        for (void* s : sockets_) zmq_close(s);
        zmq_ctx_term(context_);
    }

    void* make(int type)
    {
        void* s = zmq_socket(context_, type);
        const int unlimited = 0;
        zmq_setsockopt(s, ZMQ_SNDHWM, &unlimited, sizeof unlimited);
        zmq_setsockopt(s, ZMQ_RCVHWM, &unlimited, sizeof unlimited);
        sockets_.push_back(s);
        return s;
    }
    std::string bind(void* s)
    {
        EXPECT_EQ(0, zmq_bind(s, GetParam()));
        char bound[256];
        std::size_t size = sizeof bound;
        EXPECT_EQ(0, zmq_getsockopt(s, ZMQ_LAST_ENDPOINT, bound, &size));
        return bound;
    }

    void* context_ = nullptr;
    std::vector<void*> sockets_;
};

void send(void* s, const std::string& body, int flags = 0)
{
    ASSERT_EQ(int(body.size()), zmq_send(s, body.data(), body.size(), flags));
}

std::string receive(void* s)
{
    static std::string in(1 << 20, '\0');
    const int size = zmq_recv(s, in.data(), in.size(), 0);
    return size < 0 ? "(error)" : in.substr(0, std::size_t(size));
}

TEST_P(idle_memory_test, subscribers_after_a_burst)
{
    constexpr int many = 300;  // more than are looked at in one go
    constexpr int burst = 300;
    void* publisher = make(ZMQ_XPUB);
    const std::string at = bind(publisher);
    std::vector<void*> subscribers;
    for (int i = 0; i < many; ++i) {
        void* s = subscribers.emplace_back(make(ZMQ_SUB));
        ASSERT_EQ(0, zmq_setsockopt(s, ZMQ_SUBSCRIBE, "", 0));
        ASSERT_EQ(0, zmq_connect(s, at.c_str()));
    }
    const int verbose = 1;
    ASSERT_EQ(0, zmq_setsockopt(publisher, ZMQ_XPUB_VERBOSE, &verbose, sizeof verbose));
    (void)receive(publisher);
    // Everyone hears it: all are connected.
    for (void* s : subscribers) {
        int timeout = 10;
        zmq_setsockopt(s, ZMQ_RCVTIMEO, &timeout, sizeof timeout);
        do {
            send(publisher, "x");
        } while (receive(s) == "(error)");
        while (receive(s) != "(error)") {
        }
        timeout = -1;
        zmq_setsockopt(s, ZMQ_RCVTIMEO, &timeout, sizeof timeout);
    }
    for (void* s : subscribers) {
        char drained = 0;
        while (zmq_recv(s, &drained, 1, ZMQ_DONTWAIT) >= 0) {
        }
    }
    const std::size_t before = zlink::test::octets_in_use();
    const std::string body(1024, 'b');
    for (int i = 0; i < burst; ++i) send(publisher, body);
    for (void* s : subscribers) {
        for (int i = 0; i < burst;) i += receive(s) == body;
    }
    // Both ends of each are in this process.
    EXPECT_LE(settled(before + 2 * many * most_idle / 2), before + 2 * many * most_idle / 2);
}

TEST_P(idle_memory_test, conversations_after_messages_of_all_sizes)
{
    constexpr int many = 100;
    void* router = make(ZMQ_ROUTER);
    const std::string at = bind(router);
    std::vector<void*> dealers;
    for (int i = 0; i < many; ++i) {
        ASSERT_EQ(0, zmq_connect(dealers.emplace_back(make(ZMQ_DEALER)), at.c_str()));
    }
    const auto converse = [&](std::size_t size, int count) {
        const std::string body(size, 'c');
        for (void* d : dealers) {
            for (int i = 0; i < count; ++i) send(d, body);
        }
        for (int i = 0; i < many * count; ++i) {
            const std::string id = receive(router);
            ASSERT_EQ(body, receive(router));
            send(router, id, ZMQ_SNDMORE);
            send(router, body);
        }
        for (void* d : dealers) {
            for (int i = 0; i < count; ++i) ASSERT_EQ(body, receive(d));
        }
    };
    ASSERT_NO_FATAL_FAILURE(converse(1, 1));
    const std::size_t before = zlink::test::octets_in_use();
    ASSERT_NO_FATAL_FAILURE(converse(100, 100));
    ASSERT_NO_FATAL_FAILURE(converse(3000, 30));
    ASSERT_NO_FATAL_FAILURE(converse(20'000, 3));
    ASSERT_NO_FATAL_FAILURE(converse(300'000, 1));
    EXPECT_LE(settled(before + 2 * many * most_idle), before + 2 * many * most_idle);
}

// Unread messages of one connection do not keep what another one's traffic lay in.
TEST_P(idle_memory_test, unread_messages_beside_a_flood)
{
    constexpr int unread = 1000;
    void* quiet = make(ZMQ_PULL);
    void* busy = make(ZMQ_PULL);
    void* to_quiet = make(ZMQ_PUSH);
    void* to_busy = make(ZMQ_PUSH);
    ASSERT_EQ(0, zmq_connect(to_quiet, bind(quiet).c_str()));
    ASSERT_EQ(0, zmq_connect(to_busy, bind(busy).c_str()));
    // A socket that asks for it has the I/O thread read: all connections into one chunk.
    for (void* s : {quiet, busy}) {
        int fd = -1;
        std::size_t size = sizeof fd;
        ASSERT_EQ(0, zmq_getsockopt(s, ZMQ_FD, &fd, &size));
    }
    const std::string small(300, 's');
    const std::string big(6000, 'b');
    send(to_quiet, small);
    send(to_busy, big);
    EXPECT_EQ(small, receive(quiet));
    EXPECT_EQ(big, receive(busy));
    const std::size_t before = zlink::test::octets_in_use();
    for (int i = 0; i < unread; ++i) {
        send(to_quiet, small);
        for (int j = 0; j < 10; ++j) send(to_busy, big);
        for (int j = 0; j < 10; ++j) ASSERT_EQ(big, receive(busy));
    }
    constexpr std::size_t most = 3'000'000;
    EXPECT_LE(settled(before + most), before + most);
    for (int i = 0; i < unread; ++i) ASSERT_EQ(small, receive(quiet));
}

// What is read with the last octets of the handshake is traffic, and gone once it has been received.
TEST(idle_connections_test, keep_nothing_of_a_message_that_came_with_their_handshake)
{
    using namespace zlink::test;
    constexpr std::size_t many = 200;
    context ctx;
    zlink::test::socket pull = ctx.open(ZMQ_PULL);
    const std::string endpoint = pull.bind("tcp://127.0.0.1:*");
    const std::string all = zmtp3_greeting() + zmtp_ready("PUSH") + zmtp_frame(std::string(100'000, 'x'));
    std::vector<raw_peer> peers;
    peers.reserve(many + 1);
    const auto join = [&] {
        peers.push_back(raw_peer::connect_to(endpoint));
        peers.back().send_bytes(all);
        EXPECT_EQ(100'000u, pull.recv().size());
    };
    join();
    const std::size_t before = octets_in_use();
    for (std::size_t i = 0; i < many; ++i) join();
    EXPECT_LE(settled(before + many * most_idle), before + many * most_idle);
}

INSTANTIATE_TEST_SUITE_P(transports, idle_memory_test, testing::Values("tcp://127.0.0.1:*", "ipc://*"),
                         [](const auto& test) { return std::string(test.param, 3); });

}  // namespace
