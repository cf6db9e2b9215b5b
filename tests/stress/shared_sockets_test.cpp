// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Threads that share one socket: for ThreadSanitizer above all. Counts are bounded, and nothing is measured by the
// clock. Each message is waited for, so a wake-up that is lost, and a message that is torn, ends the test.
#include "support/sleeping_thread.hpp"
#include "support/whole_message.hpp"
#include "support/zmq_fixture.hpp"

#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace zlink::test {
namespace {

constexpr int threads = 4;
constexpr int rounds = 500;

class shared_stress_test : public ::testing::TestWithParam<const char*> {
protected:
    socket open(int type, bool shared)
    {
        socket s(ctx_, type);
        if (shared) s.set(ZLINK_SHARED, 1);
        return s;
    }
    static std::string endpoint() { return GetParam() == std::string("inproc") ? unique_inproc() : GetParam(); }
    template <class Work>
    static void in_threads(Work work)
    {
        std::vector<std::thread> all;
        for (int t = 0; t < threads; ++t) all.emplace_back([work, t] { work(t); });
        for (std::thread& each : all) each.join();
    }

    context ctx_;
};

TEST_P(shared_stress_test, threads_push_and_pull_by_one_socket_each)
{
    socket pull = open(ZMQ_PULL, true);
    socket push = open(ZMQ_PUSH, true);
    push.connect(pull.bind(endpoint()));
    std::atomic<int> seen{0};
    std::thread senders([&] {
        in_threads([&](int) {
            for (int i = 0; i < rounds; ++i) push.send("message");
        });
    });
    in_threads([&](int) {
        for (int i = 0; i < rounds; ++i) seen += pull.recv() == "message";
    });
    senders.join();
    EXPECT_EQ(threads * rounds, seen.load());
}

TEST_P(shared_stress_test, each_thread_of_one_dealer_asks_a_router_whose_threads_answer)
{
    socket router = open(ZMQ_ROUTER, true);
    socket dealer = open(ZMQ_DEALER, true);
    dealer.connect(router.bind(endpoint()));
    std::thread servers([&] {
        in_threads([&](int) {
            for (int i = 0; i < rounds; ++i) {
                const parts request = receive_whole(router);
                ASSERT_EQ(3u, request.size());
                EXPECT_EQ(request[1], request[2]);  // of one message
                EXPECT_EQ(0, send_whole(router, request));
            }
        });
    });
    // One in flight a thread: an answer may be another thread's, but there are as many as questions.
    in_threads([&](int t) {
        for (int i = 0; i < rounds; ++i) {
            const std::string text = std::to_string(t) + "." + std::to_string(i);
            EXPECT_EQ(0, send_whole(dealer, {text, text}));
            const parts answer = receive_whole(dealer);
            ASSERT_EQ(2u, answer.size());
            EXPECT_EQ(answer[0], answer[1]);
        }
    });
    servers.join();
}

TEST_P(shared_stress_test, senders_that_wait_for_room_all_get_it)
{
    socket pull = open(ZMQ_PULL, true);
    socket push = open(ZMQ_PUSH, true);
    pull.set(ZMQ_RCVHWM, 2);
    push.set(ZMQ_SNDHWM, 2);
    push.connect(pull.bind(endpoint()));
    std::thread receiver([&] {
        for (int i = 0; i < threads * rounds; ++i) EXPECT_EQ("message", pull.recv());
    });
    in_threads([&](int) {
        for (int i = 0; i < rounds; ++i) push.send("message");
    });
    receiver.join();
}

TEST_P(shared_stress_test, threads_poll_one_socket_and_take_what_they_find)
{
    socket pull = open(ZMQ_PULL, true);
    socket push = open(ZMQ_PUSH, false);
    push.connect(pull.bind(endpoint()));
    std::atomic<int> left{threads * rounds};
    std::thread sender([&] {
        for (int i = 0; i < threads * rounds; ++i) push.send("message");
    });
    in_threads([&](int) {
        while (left.load() > 0) {
            zmq_pollitem_t item{pull, -1, ZMQ_POLLIN, 0};
            if (zmq_poll(&item, 1, 50) == 1 && pull.recv_frame(ZMQ_DONTWAIT)) --left;
        }
    });
    sender.join();
    EXPECT_EQ(0, left.load());
}

TEST_P(shared_stress_test, close_beside_calls_of_all_kinds)
{
    for (int round = 0; round < 20; ++round) {
        socket peer = open(ZMQ_DEALER, false);
        socket s = open(ZMQ_DEALER, true);
        peer.connect(s.bind(endpoint()));
        void* const handle = s.release();
        std::atomic<int> under_way{0};
        std::vector<std::thread> all;
        const auto until_closed = [&](auto call) {
            all.emplace_back([&under_way, call] {
                ++under_way;
                while (call() >= 0 || zmq_errno() != ENOTSOCK) {
                }
            });
        };
        until_closed([handle] { return zmq_send(handle, "a", 1, 0); });
        until_closed([handle] {
            char octet;
            return zmq_recv(handle, &octet, 1, 0);
        });
        until_closed([handle] {
            zmq_pollitem_t item{handle, -1, ZMQ_POLLIN, 0};
            return zmq_poll(&item, 1, -1);
        });
        until_closed([handle] {
            int events = 0;
            std::size_t size = sizeof events;
            return zmq_getsockopt(handle, ZMQ_EVENTS, &events, &size);
        });
        until_closed([handle] {
            const int no_wait = 0;
            return zmq_setsockopt(handle, ZMQ_LINGER, &no_wait, sizeof no_wait);
        });
        while (under_way.load() < 5) std::this_thread::yield();
        peer.send("a");
        EXPECT_EQ(0, zmq_close(handle));
        for (std::thread& each : all) each.join();
    }
}

// An old handle is none, or a shared socket that is whole.
TEST_P(shared_stress_test, calls_by_an_old_handle_beside_sockets_that_come_and_go)
{
    socket first = open(ZMQ_CLIENT, false);
    void* const old = first;
    first.close();
    std::atomic<bool> over{false};
    std::atomic<int> begun{0};
    std::thread others([&] {
        in_threads([&](int) {
            ++begun;
            while (!over.load()) {
                char octet;
                EXPECT_EQ(-1, zmq_recv(old, &octet, 1, ZMQ_DONTWAIT));
                EXPECT_TRUE(zmq_errno() == ENOTSOCK || zmq_errno() == EAGAIN) << zmq_errno();
            }
        });
    });
    while (begun.load() < threads) std::this_thread::yield();
    for (int i = 0; i < 20 * rounds; ++i) {
        open(ZMQ_CLIENT, false);
        open(ZMQ_PULL, false);
    }
    over = true;
    others.join();
}

TEST_P(shared_stress_test, close_of_one_side_ends_a_proxy_beside_messages)
{
    for (int round = 0; round < 50; ++round) {
        socket front = open(ZMQ_DEALER, false);
        socket back = open(ZMQ_DEALER, true);
        socket asks = open(ZMQ_DEALER, false);
        socket answers = open(ZMQ_DEALER, false);
        asks.connect(front.bind(endpoint()));
        answers.connect(back.bind(endpoint()));
        void* const closed = back.release();
        std::thread proxy([&front, closed] {
            EXPECT_EQ(-1, zmq_proxy(front, closed, nullptr));
            EXPECT_EQ(ENOTSOCK, zmq_errno());
        });
        asks.send("first");
        EXPECT_EQ("first", answers.recv());
        for (int i = 0; i < 100; ++i) {
            (void)zmq_send(asks, "a", 1, ZMQ_DONTWAIT);
            (void)zmq_send(answers, "a", 1, ZMQ_DONTWAIT);
        }
        EXPECT_EQ(0, zmq_close(closed));
        proxy.join();
    }
}

// The address is another shared socket's at once. The poll does not go on with that one.
TEST_P(shared_stress_test, close_ends_a_poll_beside_sockets_that_come_and_go)
{
    std::atomic<bool> over{false};
    std::thread others([&] {
        in_threads([&](int) {
            while (!over.load()) open(ZMQ_GATHER, false);
        });
    });
    for (int round = 0; round < 50; ++round) {
        socket s = open(ZMQ_GATHER, false);
        void* const handle = s;
        std::atomic<pid_t> id{0};
        std::thread polls([&] {
            id = ::gettid();
            zmq_pollitem_t item{handle, -1, ZMQ_POLLIN, 0};
            EXPECT_EQ(-1, zmq_poll(&item, 1, patience_ms));
            EXPECT_EQ(ENOTSOCK, zmq_errno());
        });
        EXPECT_TRUE(eventually([&] { return id.load() != 0 && sleeps(id.load()); }));
        s.close();
        polls.join();
    }
    over = true;
    others.join();
}

TEST_P(shared_stress_test, the_context_ends_beside_calls_that_wait)
{
    for (int round = 0; round < 20; ++round) {
        context ctx;
        socket s(ctx, ZMQ_DEALER);
        s.set(ZLINK_SHARED, 1);
        s.bind(endpoint());
        std::atomic<int> ended{0};
        std::vector<std::thread> all;
        for (int t = 0; t < threads; ++t) {
            all.emplace_back([&, t] {
                char octet = 'a';
                const int done = t % 2 ? zmq_recv(s, &octet, 1, 0) : zmq_send(s, &octet, 1, 0);
                EXPECT_TRUE(done == -1 && zmq_errno() == ETERM);
                if (++ended == threads) s.close();
            });
        }
        ctx.terminate();
        for (std::thread& each : all) each.join();
    }
}

INSTANTIATE_TEST_SUITE_P(all, shared_stress_test, ::testing::Values("inproc", "tcp://127.0.0.1:*", "ipc://*"),
                         scheme_of<const char*>);

}  // namespace
}  // namespace zlink::test
