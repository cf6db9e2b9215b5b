// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sockets and contexts that end, fan-out and proxies, each with traffic from all sides and over every transport: for
// ThreadSanitizer above all. Counts are bounded, and nothing is measured by the clock.
#include "support/curve_keys.hpp"
#include "support/tls_command.hpp"
#include "support/zmq_fixture.hpp"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace zlink::test {
namespace {

struct way {
    const char* name;
    const char* endpoint;
    bool curve = false;
};

class stress_test : public ::testing::TestWithParam<way> {
protected:
    // `binds`: the one that is CURVE's server.
    socket open(void* context, int type, bool binds)
    {
        socket s(context, type);
        s.set(ZMQ_RECONNECT_IVL, 1);
        const std::string where = GetParam().endpoint;
        if (where.starts_with("tls") || where.starts_with("wss")) know_certificates(s);
#ifdef ZLINK_TEST_CURVE
        if (GetParam().curve && binds) be_curve_server(s, server_keys_);
        if (GetParam().curve && !binds) be_curve_client(s, client_keys_, server_keys_.open);
#else
        (void)binds;
#endif
        return s;
    }
    static std::string endpoint()
    {
        return GetParam().endpoint == std::string("inproc") ? unique_inproc() : GetParam().endpoint;
    }

#ifdef ZLINK_TEST_CURVE
    const curve_keys server_keys_;
    const curve_keys client_keys_;
#endif
};

// Nothing else is an error of a socket whose context ends.
bool ended(int result)
{
    if (result >= 0) return false;
    EXPECT_EQ(ETERM, zmq_errno());
    return true;
}

// Until the context ends; `seen` counts what came.
void receive_until_the_end(socket& s, std::atomic<int>& seen)
{
    char octets[600];
    while (!ended(zmq_recv(s, octets, sizeof octets, 0))) ++seen;
    s.close();
}

void send_until_the_end(socket& s)
{
    const std::string text(300, 's');
    while (!ended(zmq_send(s, text.data(), text.size(), 0))) {
    }
    s.close();
}

TEST_P(stress_test, contexts_end_while_all_their_threads_send_and_receive)
{
    for (int round = 0; round < 5; ++round) {
        context ctx;
        socket pull = open(ctx, ZMQ_PULL, true);
        pull.set(ZMQ_RCVTIMEO, -1);
        const std::string where = pull.bind(endpoint());
        std::atomic<int> seen{0}, ready{0};
        std::vector<std::jthread> threads;
        for (int i = 0; i < 3; ++i) {
            threads.emplace_back([&] {
                socket push = open(ctx, ZMQ_PUSH, false);
                push.set(ZMQ_SNDTIMEO, -1);
                push.connect(where);
                ++ready;
                send_until_the_end(push);
            });
        }
        threads.emplace_back([&] { receive_until_the_end(pull, seen); });
        EXPECT_TRUE(eventually([&] { return ready == 3 && seen > 200; }));
        ctx.shutdown();
        threads.clear();
    }
}

TEST_P(stress_test, sockets_close_while_their_peers_send)
{
    context ctx;
    socket router = open(ctx, ZMQ_ROUTER, true);
    router.set(ZMQ_RCVTIMEO, -1);
    router.set(ZMQ_SNDTIMEO, 0);
    const std::string where = router.bind(endpoint());
    std::atomic<int> seen{0};
    std::jthread echoing([&] {
        zmq_msg_t part;
        zmq_msg_init(&part);
        while (!ended(zmq_msg_recv(&part, router, 0))) {
            const bool more = zmq_msg_more(&part) != 0;
            if (!more) ++seen;
            // A peer that has gone is told of no more.
            if (zmq_msg_send(&part, router, more ? ZMQ_SNDMORE : 0) < 0) {
                if (zmq_errno() == ETERM) break;
            }
        }
        zmq_msg_close(&part);
        router.close();
    });
    std::vector<std::jthread> peers;
    for (int i = 0; i < 3; ++i) {
        peers.emplace_back([&, i] {
            for (int again = 0; again < 8; ++again) {
                socket dealer = open(ctx, ZMQ_DEALER, false);
                dealer.connect(where);
                for (int n = 0; n < 50; ++n) dealer.send(std::string(std::size_t(n * 10), 'd'));
                if ((again + i) % 2) dealer.recv();
            }
        });
    }
    peers.clear();
    EXPECT_LT(0, seen);
    ctx.shutdown();
}

TEST_P(stress_test, subscriptions_change_and_subscribers_leave_while_a_publisher_sends)
{
    context ctx;
    socket pub = open(ctx, ZMQ_PUB, true);
    const std::string where = pub.bind(endpoint());
    std::atomic<int> left{3};
    std::jthread publishing([&] {
        for (int n = 0; left > 0; ++n) {
            pub.send(std::string(1, char('a' + n % 3)) + std::string(std::size_t(n % 400), 'p'));
            std::this_thread::yield();
        }
    });
    std::vector<std::jthread> subscribers;
    for (int i = 0; i < 3; ++i) {
        subscribers.emplace_back([&, i] {
            for (int again = 0; again < 4; ++again) {
                socket sub = open(ctx, ZMQ_SUB, false);
                sub.connect(where);
                for (int n = 0; n < 6; ++n) {
                    const std::string topic(1, char('a' + (i + n) % 3));
                    sub.subscribe(topic);
                    for (int messages = 0; messages < 10; ++messages) EXPECT_EQ(topic[0], sub.recv()[0]);
                    sub.set(ZMQ_UNSUBSCRIBE, topic);
                    sub.drain();
                }
            }
            --left;
        });
    }
}

TEST_P(stress_test, proxies_end_with_traffic_in_both_directions)
{
    for (int round = 0; round < 3; ++round) {
        context ctx;
        socket front = open(ctx, ZMQ_ROUTER, true), back = open(ctx, ZMQ_DEALER, true);
        const std::string in = front.bind(endpoint()), out = back.bind(endpoint());
        std::atomic<int> seen{0}, ready{0};
        std::vector<std::jthread> threads;
        threads.emplace_back([&] {
            EXPECT_EQ(-1, zmq_proxy(front, back, nullptr));
            EXPECT_EQ(ETERM, zmq_errno());
            front.close();
            back.close();
        });
        for (int i = 0; i < 2; ++i) {
            threads.emplace_back([&] {
                socket rep = open(ctx, ZMQ_REP, false);
                rep.set(ZMQ_RCVTIMEO, -1);
                rep.connect(out);
                ++ready;
                char octets[600];
                int size = 0;
                while (!ended(size = zmq_recv(rep, octets, sizeof octets, 0))) {
                    if (ended(zmq_send(rep, octets, std::size_t(size), 0))) break;
                }
                rep.close();
            });
            threads.emplace_back([&] {
                socket req = open(ctx, ZMQ_REQ, false);
                req.set(ZMQ_RCVTIMEO, -1);
                req.connect(in);
                ++ready;
                char octets[600] = {};
                while (!ended(zmq_send(req, octets, 100, 0)) && !ended(zmq_recv(req, octets, sizeof octets, 0))) ++seen;
                req.close();
            });
        }
        EXPECT_TRUE(eventually([&] { return ready == 4 && seen > 200; }));
        ctx.shutdown();
        threads.clear();
    }
}

const std::vector<way> ways = {
    {"inproc", "inproc"},
    {"tcp", "tcp://127.0.0.1:*"},
    {"ipc", "ipc://*"},
    {"ws", "ws://127.0.0.1:*"},
#ifdef ZLINK_TEST_TLS
    {"tls", "tls://127.0.0.1:*"},
    {"wss", "wss://127.0.0.1:*"},
#endif
#ifdef ZLINK_TEST_CURVE
    {"curve", "tcp://127.0.0.1:*", true},
    {"curve_ws", "ws://127.0.0.1:*", true},
#endif
};

INSTANTIATE_TEST_SUITE_P(over, stress_test, ::testing::ValuesIn(ways),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace zlink::test
