// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Closing sockets, ending contexts, lingering messages.
#include "support/sleeping_thread.hpp"
#include "support/zmq_fixture.hpp"

#include <unistd.h>

#include <ctime>
#include <thread>

namespace zlink::test {
namespace {

using clock = std::chrono::steady_clock;

class contract_lifetime_test : public zmq_test {};

double cpu_seconds()
{
    timespec t{};
    EXPECT_EQ(0, ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t));
    return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

TEST_F(contract_lifetime_test, closing_takes_time_in_proportion_to_the_connections)
{
    const std::string nobody = "ipc://" + std::string(::testing::TempDir()) + "zlink-nobody-there";
    const auto time_of = [&](int connections) {
        socket push = ctx_.open(ZMQ_PUSH);
        for (int i = 0; i < connections; ++i) push.connect(nobody);
        const double start = cpu_seconds();
        push.close();
        return cpu_seconds() - start;
    };
    const double few = time_of(500);
    const double many = time_of(8000);
    EXPECT_LT(many, 100 * few) << "16 times as many; each endpoint looked for among all: 256";
}

TEST_F(contract_lifetime_test, connecting_and_disconnecting_take_time_in_proportion_to_the_endpoints)
{
    const std::string somewhere = ::testing::TempDir();
    for (const std::string& scheme : {"ipc://" + somewhere, std::string("inproc://")}) {
        const auto time_of = [&](int endpoints) {
            const auto nobody = [&](int i) { return scheme + "zlink-nobody-" + std::to_string(i); };
            socket dealer = ctx_.open(ZMQ_DEALER);
            const double start = cpu_seconds();
            for (int i = 0; i < endpoints; ++i) dealer.connect(nobody(i));
            for (int i = 0; i < endpoints; ++i) dealer.disconnect(nobody(i));
            return cpu_seconds() - start;
        };
        const double few = time_of(500);
        const double many = time_of(8000);
        EXPECT_LT(many, 100 * few) << scheme << ": 16 times as many; each looked for among all: 256";
    }
}

TEST_F(contract_lifetime_test, lingering_messages_arrive_after_close)
{
    const std::string endpoint = tcp_peer::listen().endpoint();
    socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
    push.set(ZMQ_LINGER, -1);
    push.set(ZMQ_RECONNECT_IVL, 10);
    push.connect(endpoint);
    for (int i = 0; i < 100; ++i) {
        push.send_parts({std::to_string(i), std::string(1000, 'x')});
    }
    push.close();
    pull.bind(endpoint);
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ((parts{std::to_string(i), std::string(1000, 'x')}), pull.recv_parts());
    }
}

TEST_F(contract_lifetime_test, term_waits_for_lingering_messages)
{
    const std::string endpoint = tcp_peer::listen().endpoint();
    std::atomic<bool> terminated{false};
    std::atomic<pid_t> terminating{0};
    std::thread sender([&] {
        context ctx;
        socket push = ctx.open(ZMQ_PUSH);
        push.set(ZMQ_LINGER, -1);
        push.set(ZMQ_RECONNECT_IVL, 10);
        push.connect(endpoint);
        push.send("lingering");
        push.close();
        terminating = ::gettid();
        ctx.terminate();
        terminated = true;
    });
    EXPECT_TRUE(comes_to_sleep(terminating));
    EXPECT_FALSE(terminated);
    socket pull = ctx_.open(ZMQ_PULL);
    pull.bind(endpoint);
    EXPECT_EQ("lingering", pull.recv());
    sender.join();
}

TEST_F(contract_lifetime_test, large_messages_linger_to_the_last_byte)
{
    socket pull = ctx_.open(ZMQ_PULL);
    for (const char* wildcard : {"tcp://127.0.0.1:*", "ipc://*"}) {
        const std::string endpoint = pull.bind(wildcard);
        std::thread sender([&] {
            context ctx;
            socket push = ctx.open(ZMQ_PUSH);
            push.set(ZMQ_LINGER, -1);
            push.connect(endpoint);
            for (int i = 0; i < 10; ++i) {
                push.send(std::string(1 << 20, static_cast<char>('a' + i)));
            }
        });
        for (int i = 0; i < 10; ++i) {
            EXPECT_TRUE(pull.recv() == std::string(1 << 20, static_cast<char>('a' + i)));
        }
        sender.join();
    }
}

TEST_F(contract_lifetime_test, without_linger_messages_are_dropped_and_term_does_not_wait)
{
    const std::string endpoint = tcp_peer::listen().endpoint();
    {
        context ctx;
        socket push = ctx.open(ZMQ_PUSH);
        push.set(ZMQ_LINGER, 0);
        push.connect(endpoint);
        push.send("dropped");
    }
    socket pull = ctx_.open(ZMQ_PULL), later = ctx_.open(ZMQ_PUSH);
    later.connect(pull.bind(endpoint));
    expect_only(later, pull, {"later"});
}

TEST_F(contract_lifetime_test, a_linger_period_is_waited_out_and_no_longer)
{
    const std::string endpoint = tcp_peer::listen().endpoint();
    context ctx;
    socket push = ctx.open(ZMQ_PUSH);
    push.set(ZMQ_LINGER, 100);
    push.connect(endpoint);
    push.send("never delivered");
    push.close();
    const auto start = clock::now();
    ctx.terminate();
    EXPECT_GE(clock::now() - start, std::chrono::milliseconds(80));
    EXPECT_LT(clock::now() - start, std::chrono::milliseconds(patience_ms));
}

TEST_F(contract_lifetime_test, linger_defaults_to_forever_or_to_none_if_not_blocky)
{
    for (const bool blocky : {true, false}) {
        void* ctx = zmq_ctx_new();
        if (!blocky) {
            EXPECT_EQ(0, zmq_ctx_set(ctx, ZMQ_BLOCKY, 0));
        }
        void* opened = zmq_socket(ctx, ZMQ_PUSH);
        int linger = 1;
        std::size_t size = sizeof linger;
        EXPECT_EQ(0, zmq_getsockopt(opened, ZMQ_LINGER, &linger, &size));
        EXPECT_EQ(blocky ? -1 : 0, linger);
        EXPECT_EQ(0, zmq_close(opened));
        EXPECT_EQ(0, zmq_ctx_term(ctx));
    }
}

TEST_F(contract_lifetime_test, inproc_messages_stay_readable_after_their_sender_has_closed)
{
    socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
    push.connect(pull.bind(unique_inproc()));
    for (int i = 0; i < 10; ++i) {
        push.send_parts({std::to_string(i), "tail"});
    }
    push.send("unfinished", ZMQ_SNDMORE);
    push.close();
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ((parts{std::to_string(i), "tail"}), pull.recv_parts());
    }
    expect_no_message_for(pull, 20);
}

TEST_F(contract_lifetime_test, term_ends_waiting_calls)
{
    enum class call { receive, send, poll };
    for (const call which : {call::receive, call::send, call::poll}) {
        void* ctx = zmq_ctx_new();
        std::atomic<pid_t> id{0};
        std::thread waiter([&] {
            socket waiting(ctx, which == call::send ? ZMQ_PUSH : ZMQ_PULL);
            waiting.set(ZMQ_RCVTIMEO, -1);
            waiting.set(ZMQ_SNDTIMEO, -1);
            zmq_pollitem_t item{waiting, 0, ZMQ_POLLIN, 0};
            char byte = 0;
            id = ::gettid();
            switch (which) {
            case call::receive: EXPECT_EQ(-1, zmq_recv(waiting, &byte, 1, 0)); break;
            case call::send: EXPECT_EQ(-1, zmq_send(waiting, &byte, 1, 0)); break;
            case call::poll: EXPECT_EQ(-1, zmq_poll(&item, 1, -1)); break;
            }
            EXPECT_EQ(ETERM, zmq_errno());
        });
        EXPECT_TRUE(comes_to_sleep(id));
        EXPECT_EQ(0, zmq_ctx_term(ctx));
        waiter.join();
    }
}

TEST_F(contract_lifetime_test, term_ends_a_wait_on_a_live_connection)
{
    for (const char* wildcard : {"tcp://127.0.0.1:*", "ipc://*", "inproc://x"}) {
        void* ctx = zmq_ctx_new();
        std::thread waiter([&] {
            socket a(ctx, ZMQ_PAIR), b(ctx, ZMQ_PAIR);
            b.connect(a.bind(wildcard));
            b.send("last");
            EXPECT_EQ("last", a.recv());
            zmq_ctx_shutdown(ctx);
            a.set(ZMQ_LINGER, 0);
            EXPECT_FALSE(a.recv_frame());
            EXPECT_EQ(ETERM, zmq_errno());
        });
        waiter.join();
        EXPECT_EQ(0, zmq_ctx_term(ctx));
    }
}

TEST_F(contract_lifetime_test, after_shutdown_every_call_says_so)
{
    socket open = ctx_.open(ZMQ_PAIR);
    const std::string endpoint = unique_inproc();
    ctx_.shutdown();
    ctx_.shutdown();  // may be repeated
    char byte = 0;
    EXPECT_EQ(-1, zmq_send(open, &byte, 1, 0));
    EXPECT_EQ(ETERM, zmq_errno());
    EXPECT_EQ(-1, zmq_recv(open, &byte, 1, ZMQ_DONTWAIT));
    EXPECT_EQ(ETERM, zmq_errno());
    EXPECT_EQ(-1, zmq_bind(open, endpoint.c_str()));
    EXPECT_EQ(ETERM, zmq_errno());
    EXPECT_EQ(-1, zmq_connect(open, endpoint.c_str()));
    EXPECT_EQ(ETERM, zmq_errno());
    EXPECT_EQ(nullptr, zmq_socket(ctx_, ZMQ_PAIR));
    EXPECT_EQ(ETERM, zmq_errno());
}

TEST_F(contract_lifetime_test, term_waits_until_sockets_are_closed)
{
    void* ctx = zmq_ctx_new();
    socket open(ctx, ZMQ_PULL);
    std::atomic<bool> terminated{false};
    std::thread ender([&] {
        EXPECT_EQ(0, zmq_ctx_term(ctx));
        terminated = true;
    });
    EXPECT_FALSE(open.recv_frame());
    EXPECT_EQ(ETERM, zmq_errno());
    EXPECT_FALSE(terminated);
    open.close();
    ender.join();
    EXPECT_TRUE(terminated);
}

TEST_F(contract_lifetime_test, handles_that_are_none_are_refused)
{
    char byte = 0;
    EXPECT_EQ(-1, zmq_close(nullptr));
    EXPECT_EQ(ENOTSOCK, zmq_errno());
    EXPECT_EQ(-1, zmq_send(nullptr, &byte, 1, 0));
    EXPECT_EQ(ENOTSOCK, zmq_errno());
    EXPECT_EQ(-1, zmq_recv(nullptr, &byte, 1, 0));
    EXPECT_EQ(ENOTSOCK, zmq_errno());
    EXPECT_EQ(-1, zmq_bind(nullptr, "inproc://x"));
    EXPECT_EQ(ENOTSOCK, zmq_errno());
    EXPECT_EQ(-1, zmq_connect(nullptr, "inproc://x"));
    EXPECT_EQ(ENOTSOCK, zmq_errno());
    EXPECT_EQ(-1, zmq_ctx_term(nullptr));
    EXPECT_EQ(EFAULT, zmq_errno());
    EXPECT_EQ(-1, zmq_ctx_shutdown(nullptr));
    EXPECT_EQ(EFAULT, zmq_errno());
    EXPECT_EQ(nullptr, zmq_socket(nullptr, ZMQ_PAIR));
    EXPECT_EQ(EFAULT, zmq_errno());
    EXPECT_EQ(nullptr, zmq_socket(ctx_, 4711));
    EXPECT_EQ(EINVAL, zmq_errno());
}

TEST_F(contract_lifetime_test, contexts_come_and_go_with_or_without_sockets)
{
    for (int i = 0; i < 20; ++i) {
        context empty;
        context used;
        socket a = used.open(ZMQ_PAIR), b = used.open(ZMQ_PAIR);
        b.connect(a.bind(i % 2 == 0 ? "tcp://127.0.0.1:*" : unique_inproc()));
        b.send("x");
        EXPECT_EQ("x", a.recv());
    }
}

}  // namespace
}  // namespace zlink::test
