// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Memory that is short for a moment: whichever allocation fails, calls that fail say ENOMEM, and a program that does
// those again has its messages in the end. A context gives back what it has taken. Each failure has a child process to
// itself, but for the last test.
#include "allocations.hpp"

#include <gtest/gtest.h>
#include <zmq.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

namespace {

using zlink::test::count_allocations;
using zlink::test::counted_allocations;

/// What a child ends with.
enum outcome : int { message_arrived = 0, wrong_error = 2, nothing_arrived = 3, test_failed = 4 };

struct recovery_case {
    const char* name;
    const char* endpoint;  ///< if it is to be had before anybody binds it, a name of its own
    int sending, receiving;
    bool sender_connects, connects_early;
    int immediate;
    bool encrypts = false;
};

/// Does `call` again while memory is short.
template <class Call>
void must(Call call)
{
    while (call() < 0) {
        if (zmq_errno() != ENOMEM && zmq_errno() != EINTR) ::_exit(wrong_error);
    }
}

void* open_socket(void* context, int type, int immediate)
{
    void* socket = nullptr;
    must([&] {
        socket = zmq_socket(context, type);
        return socket ? 0 : -1;
    });
    const auto set = [&](int option, int value) {
        must([&] { return zmq_setsockopt(socket, option, &value, sizeof value); });
    };
    set(ZMQ_LINGER, 0);
    set(ZMQ_RCVTIMEO, 5);
    set(ZMQ_SNDTIMEO, 5);
    set(ZMQ_RECONNECT_IVL, 1);
    set(ZMQ_IMMEDIATE, immediate);
    if (type == ZMQ_SUB) must([&] { return zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0); });
    return socket;
}

// Keys are made while memory is there.
struct curve_keys {
    char server[41], server_secret[41], client[41], client_secret[41];
    curve_keys()
    {
        (void)zmq_curve_keypair(server, server_secret);
        (void)zmq_curve_keypair(client, client_secret);
    }
    void prepare(void* binding, void* connecting) const
    {
        const int one = 1;
        must([&] { return zmq_setsockopt(binding, ZMQ_CURVE_SERVER, &one, sizeof one); });
        must([&] { return zmq_setsockopt(binding, ZMQ_CURVE_SECRETKEY, server_secret, 40); });
        must([&] { return zmq_setsockopt(connecting, ZMQ_CURVE_SERVERKEY, server, 40); });
        must([&] { return zmq_setsockopt(connecting, ZMQ_CURVE_PUBLICKEY, client, 40); });
        must([&] { return zmq_setsockopt(connecting, ZMQ_CURVE_SECRETKEY, client_secret, 40); });
    }
};

bool a_message_arrives(void* from, void* to)
{
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::chrono::steady_clock::now() < until) {
        // A message in two parts: if memory is short at the second one, the first one is taken back.
        if (zmq_send(from, "first", 5, ZMQ_SNDMORE) == 5) (void)zmq_send(from, "second", 6, 0);
        char octets[16];
        if (zmq_recv(to, octets, sizeof octets, 0) >= 0) return true;
    }
    return false;
}

// An XPUB is told of the subscription that its messages are sent by.
bool a_subscription_arrives(void* from, void* at)
{
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    char octets[16];
    while (zmq_recv(at, octets, sizeof octets, 0) < 0) {
        if (std::chrono::steady_clock::now() > until) return false;
        (void)zmq_recv(from, octets, sizeof octets, ZMQ_DONTWAIT);  // subscribes anew once it is connected anew
    }
    return true;
}

int run(const recovery_case& of)
{
    void* context = nullptr;
    must([&] {
        context = zmq_ctx_new();
        return context ? 0 : -1;
    });
    void* const receiver = open_socket(context, of.receiving, of.immediate);
    void* const sender = open_socket(context, of.sending, of.immediate);
    void* const connecting = of.sender_connects ? sender : receiver;
    void* const binding = of.sender_connects ? receiver : sender;
    static const curve_keys keys;
    if (of.encrypts) keys.prepare(binding, connecting);
    const char* endpoint = of.endpoint;
    if (of.connects_early) must([&] { return zmq_connect(connecting, endpoint); });
    must([&] { return zmq_bind(binding, endpoint); });
    char bound[256];
    std::size_t size = sizeof bound;
    must([&] { return zmq_getsockopt(binding, ZMQ_LAST_ENDPOINT, bound, &size); });
    if (!of.connects_early) must([&] { return zmq_connect(connecting, bound); });
    const bool told = of.sending != ZMQ_XPUB || a_subscription_arrives(receiver, sender);
    const bool arrived = told && a_message_arrives(sender, receiver);
    zmq_close(sender);
    zmq_close(receiver);
    zmq_ctx_term(context);
    return arrived ? message_arrived : nothing_arrived;
}

/// In a child: the result of wait(). `count` is told how many allocations there were, if it is not null.
int run_in_child(const recovery_case& of, long failure, long* count)
{
    int ends[2];
    if (::pipe(ends) != 0) return -1;
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(30);
        count_allocations(failure);
        const int how = run(of);
        const long all = counted_allocations();
        ::_exit(::write(ends[1], &all, sizeof all) == sizeof all ? how : int(test_failed));
    }
    ::close(ends[1]);
    long all = 0;
    if (::read(ends[0], &all, sizeof all) != sizeof all) all = 0;
    ::close(ends[0]);
    if (count) *count = all;
    int status = -1;
    (void)::waitpid(child, &status, 0);
    return status;
}

class short_memory_recovery_test : public testing::TestWithParam<recovery_case> {};

TEST_P(short_memory_recovery_test, messages_arrive_whichever_allocation_failed)
{
    if (GetParam().encrypts && !zmq_has("curve")) GTEST_SKIP() << "built without CURVE";
    (void)run(GetParam());  // what a thread registers once with the C library, which aborts without memory for it
    long count = 0;
    ASSERT_EQ(run_in_child(GetParam(), -1, &count), 0);
    ASSERT_GT(count, 20);
    for (long i = 0; i < count; ++i) {
        const int status = run_in_child(GetParam(), i, nullptr);
        EXPECT_FALSE(WIFSIGNALED(status)) << "signal " << WTERMSIG(status) << " without allocation " << i;
        EXPECT_EQ(message_arrived, WEXITSTATUS(status)) << "without allocation " << i << " of " << count;
    }
}

INSTANTIATE_TEST_SUITE_P(
    all, short_memory_recovery_test,
    testing::Values(recovery_case{"immediate_tcp", "tcp://127.0.0.1:*", ZMQ_DEALER, ZMQ_ROUTER, true, false, 1},
                    recovery_case{"connected_router_ipc", "ipc://*", ZMQ_DEALER, ZMQ_ROUTER, false, false, 0},
                    recovery_case{"connected_early_ipc", "ipc://@zlink-short-memory", ZMQ_PUSH, ZMQ_PULL, true, true,
                                  0},
                    recovery_case{"connected_publisher_tcp", "tcp://127.0.0.1:*", ZMQ_PUB, ZMQ_SUB, true, false, 0},
                    recovery_case{"inproc_bound_first", "inproc://first", ZMQ_PUSH, ZMQ_PULL, true, false, 0},
                    recovery_case{"inproc_connected_early", "inproc://early", ZMQ_PUSH, ZMQ_PULL, true, true, 0},
                    recovery_case{"inproc_router_early", "inproc://router", ZMQ_DEALER, ZMQ_ROUTER, true, true, 0},
                    recovery_case{"inproc_publisher", "inproc://publisher", ZMQ_PUB, ZMQ_SUB, false, true, 0},
                    recovery_case{"xpub_tcp", "tcp://127.0.0.1:*", ZMQ_XPUB, ZMQ_SUB, false, false, 0},
                    recovery_case{"curve_ws", "ws://127.0.0.1:*", ZMQ_DEALER, ZMQ_ROUTER, true, false, 0, true},
                    recovery_case{"subscriptions_ws", "ws://127.0.0.1:*", ZMQ_PUB, ZMQ_SUB, false, false, 0}),
    [](const auto& test) { return std::string(test.param.name); });

// Connections that have no memory for the time until the next attempt wait nevertheless.
TEST(short_memory_test, attempts_to_connect_are_rare_while_memory_is_short)
{
    constexpr int sockets = 32, most_of_an_attempt = 20, for_ever = 3'600'000;
    using namespace std::chrono_literals;
    void* const context = zmq_ctx_new();
    // What the I/O thread registers once is there afterwards, and nobody listens at the endpoint.
    void* const receiver = open_socket(context, ZMQ_PULL, 0);
    void* const sender = open_socket(context, ZMQ_PUSH, 0);
    char endpoint[256];
    std::size_t size = sizeof endpoint;
    ASSERT_EQ(0, zmq_bind(receiver, "tcp://127.0.0.1:*"));
    ASSERT_EQ(0, zmq_getsockopt(receiver, ZMQ_LAST_ENDPOINT, endpoint, &size));
    ASSERT_EQ(0, zmq_connect(sender, endpoint));
    ASSERT_TRUE(a_message_arrives(sender, receiver));
    ASSERT_EQ(0, zmq_close(receiver));
    ASSERT_EQ(0, zmq_close(sender));
    std::vector<void*> all;
    for (int i = 0; i < sockets; ++i) {
        all.push_back(open_socket(context, ZMQ_PUSH, 0));
        ASSERT_EQ(0, zmq_setsockopt(all.back(), ZMQ_RECONNECT_IVL, &for_ever, sizeof for_ever));
    }
    zlink::test::refuse_other_threads(true);
    const auto began = std::chrono::steady_clock::now();
    for (void* const each : all) EXPECT_EQ(0, zmq_connect(each, endpoint));
    std::this_thread::sleep_for(200ms);
    const long refused = zlink::test::refused_allocations();
    const auto attempts = (std::chrono::steady_clock::now() - began) / 50ms + 1;
    zlink::test::refuse_other_threads(false);
    EXPECT_LT(0, refused);
    EXPECT_GE(sockets * most_of_an_attempt * attempts, refused);
    for (void* const each : all) EXPECT_EQ(0, zmq_close(each));
    EXPECT_EQ(0, zmq_ctx_term(context));
}

TEST(short_memory_test, contexts_and_sockets_give_back_what_they_took)
{
    const auto use = [](long failure) {
        void* const context = zmq_ctx_new();
        count_allocations(failure);
        void* const socket = zmq_socket(context, ZMQ_DEALER);
        const int error = zmq_errno();
        const long all = counted_allocations();
        EXPECT_TRUE(socket || error == ENOMEM) << error << " without allocation " << failure;
        if (socket) zmq_close(socket);
        zmq_ctx_term(context);
        return all;
    };
    for (int i = 0; i < 3; ++i) (void)use(-1);  // what is kept for the next one is there then
    for (long i = 0;; ++i) {
        // The threads of a context may keep something for the next one: what is lost is lost each time.
        long all = 0;
        std::size_t least_kept = ~std::size_t{0};
        for (int again = 0; again < 4 && least_kept != 0; ++again) {
            const std::size_t before = zlink::test::octets_in_use();
            all = use(i);
            const std::size_t after = zlink::test::octets_in_use();
            least_kept = std::min(least_kept, after > before ? after - before : 0);
        }
        EXPECT_EQ(0u, least_kept) << "after allocation " << i << " of " << all << " failed";
        if (all <= i) break;
    }
}

}  // namespace
