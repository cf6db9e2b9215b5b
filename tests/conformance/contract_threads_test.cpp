// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sockets and threads: many at once, and handed over.
#include "support/zmq_fixture.hpp"

#include <thread>

namespace zlink::test {
namespace {

class contract_threads_test : public zmq_test {};

TEST_F(contract_threads_test, many_sockets_work_in_many_threads)
{
    constexpr int threads = 8, turns = 500;
    std::vector<std::thread> workers;
    for (int worker = 0; worker < threads; ++worker) {
        workers.emplace_back([this, worker] {
            const char* const transports[] = {"tcp://127.0.0.1:*", "ipc://*"};
            socket a = ctx_.open(ZMQ_PAIR), b = ctx_.open(ZMQ_PAIR);
            b.connect(a.bind(worker % 3 == 2 ? unique_inproc() : transports[worker % 3]));
            for (int i = 0; i < turns && !HasFailure(); ++i) {
                const std::string ball = std::to_string(worker) + "/" + std::to_string(i);
                a.send_parts({ball, "tail"});
                EXPECT_EQ((parts{ball, "tail"}), b.recv_parts());
                b.send(ball);
                EXPECT_EQ(ball, a.recv());
            }
        });
    }
    for (std::thread& worker : workers) {
        worker.join();
    }
}

TEST_F(contract_threads_test, several_io_threads_serve_one_context)
{
    EXPECT_EQ(0, zmq_ctx_set(ctx_, ZMQ_IO_THREADS, 4));
    socket pull = ctx_.open(ZMQ_PULL);
    const std::string endpoint = pull.bind("tcp://127.0.0.1:*");
    constexpr int senders = 8, messages = 1000;
    std::vector<std::thread> threads;
    for (int sender = 0; sender < senders; ++sender) {
        threads.emplace_back([&, sender] {
            socket push = ctx_.open(ZMQ_PUSH);
            push.set(ZMQ_LINGER, -1);
            push.connect(endpoint);
            for (int i = 0; i < messages; ++i) {
                push.send_parts({std::to_string(sender), std::to_string(i)});
            }
        });
    }
    std::vector<int> next(senders, 0);
    for (int i = 0; i < senders * messages && !HasFailure(); ++i) {
        const parts message = pull.recv_parts();
        ASSERT_EQ(2u, message.size());
        EXPECT_EQ(std::to_string(next.at(static_cast<std::size_t>(std::stoi(message[0])))++), message[1]);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

TEST_F(contract_threads_test, sockets_are_opened_and_closed_by_many_threads_at_once)
{
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 6; ++thread) {
        threads.emplace_back([this] {
            for (int i = 0; i < 50; ++i) {
                socket a = ctx_.open(ZMQ_DEALER), b = ctx_.open(ZMQ_ROUTER);
                a.connect(b.bind(i % 2 == 0 ? "tcp://127.0.0.1:*" : unique_inproc()));
                a.send("x");
                EXPECT_EQ(2u, b.recv_parts().size());
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

TEST_F(contract_threads_test, hundreds_of_sockets_live_in_one_context)
{
    std::vector<socket> sockets;
    socket pull = ctx_.open(ZMQ_PULL);
    const std::string endpoint = pull.bind(unique_inproc());
    constexpr int count = 300;
    for (int i = 0; i < count; ++i) {
        sockets.push_back(ctx_.open(ZMQ_PUSH));
        sockets.back().connect(endpoint);
        sockets.back().send(std::to_string(i));
    }
    std::vector<bool> seen(count);
    for (int i = 0; i < count; ++i) {
        seen.at(static_cast<std::size_t>(std::atoi(pull.recv().c_str()))) = true;
    }
    EXPECT_EQ(std::vector<bool>(count, true), seen);
}

TEST_F(contract_threads_test, a_socket_may_move_between_threads)
{
    for (const char* where : {"inproc://moved", "tcp://127.0.0.1:*"}) {
        socket here = ctx_.open(ZMQ_PAIR), moving = ctx_.open(ZMQ_PAIR);
        moving.connect(here.bind(where));
        for (int i = 0; i < 100; ++i) {
            here.send(std::to_string(i));
            std::thread([&] {  // its start and join are the fences that a move needs
                EXPECT_EQ(std::to_string(i), moving.recv());
                moving.send("from thread " + std::to_string(i));
            })
                .join();
            EXPECT_EQ("from thread " + std::to_string(i), here.recv());
        }
        std::thread([&] { moving.close(); }).join();
    }
}

TEST_F(contract_threads_test, a_socket_handed_over_by_an_atomic_keeps_its_order)
{
    socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
    push.connect(pull.bind("tcp://127.0.0.1:*"));
    constexpr int count = 2000;
    std::atomic<int> turn{0};
    const auto sender = [&](int parity) {
        for (int i = parity; i < count; i += 2) {
            while (turn.load() != i) {
                std::this_thread::yield();
            }
            push.send(std::to_string(i));
            turn.store(i + 1);
        }
    };
    std::thread even(sender, 0), odd(sender, 1);
    for (int i = 0; i < count; ++i) {
        EXPECT_EQ(std::to_string(i), pull.recv());
    }
    even.join();
    odd.join();
}

TEST_F(contract_threads_test, a_waiting_socket_holds_up_no_other)
{
    socket waiting = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH), full = ctx_.open(ZMQ_PUSH);
    const std::string endpoint = waiting.bind(unique_inproc());
    std::thread receiver([&] { EXPECT_EQ("released", waiting.recv()); });
    std::thread sender([&] {
        char byte = 0;
        full.set(ZMQ_SNDTIMEO, 200);
        EXPECT_EQ(-1, zmq_send(full, &byte, 1, 0));
    });
    socket a = ctx_.open(ZMQ_PAIR), b = ctx_.open(ZMQ_PAIR);
    b.connect(a.bind("tcp://127.0.0.1:*"));
    for (int i = 0; i < 1000; ++i) {
        a.send("x");
        EXPECT_EQ("x", b.recv());
    }
    push.connect(endpoint);
    push.send("released");
    receiver.join();
    sender.join();
}

}  // namespace
}  // namespace zlink::test
