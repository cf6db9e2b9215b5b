// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// High-water marks, waiting, and what a call does that cannot go on.
#include "support/sleeping_thread.hpp"
#include "support/zmq_fixture.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace zlink::test {
namespace {

using clock = std::chrono::steady_clock;

class contract_hwm_test : public zmq_test {
protected:
    // Sends without waiting until it is refused; the number of messages taken.
    int fill(socket& sender, int most = 100000)
    {
        int sent = 0;
        while (sent < most && sender.try_send(std::to_string(sent)) == 0) {
            ++sent;
        }
        if (sent < most) {
            EXPECT_EQ(EAGAIN, zmq_errno());
        }
        return sent;
    }

    void join(int sndhwm, int rcvhwm)
    {
        push_.set(ZMQ_SNDHWM, sndhwm);
        pull_.set(ZMQ_RCVHWM, rcvhwm);
        push_.connect(pull_.bind(unique_inproc()));
    }

    socket push_ = ctx_.open(ZMQ_PUSH);
    socket pull_ = ctx_.open(ZMQ_PULL);
};

TEST_F(contract_hwm_test, inproc_holds_the_sum_of_both_marks)
{
    const std::pair<int, int> marks[] = {{1, 1}, {1, 2}, {2, 1}, {7, 5}, {10, 20}, {100, 1}, {1000, 1000}};
    for (const auto& [sndhwm, rcvhwm] : marks) {
        for (const bool binder_sends : {false, true}) {
            socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
            push.set(ZMQ_SNDHWM, sndhwm);
            pull.set(ZMQ_RCVHWM, rcvhwm);
            if (binder_sends) {
                pull.connect(push.bind(unique_inproc()));
            } else {
                push.connect(pull.bind(unique_inproc()));
            }
            EXPECT_EQ(sndhwm + rcvhwm, fill(push)) << sndhwm << " and " << rcvhwm;
            EXPECT_FALSE(push.writable());
            for (int i = 0; i < sndhwm + rcvhwm; ++i) {
                ASSERT_EQ(std::to_string(i), pull.recv());
            }
            expect_no_message(pull);
        }
    }
}

TEST_F(contract_hwm_test, the_default_is_a_thousand_on_each_side)
{
    push_.connect(pull_.bind(unique_inproc()));
    EXPECT_EQ(2000, fill(push_));
}

TEST_F(contract_hwm_test, connecting_before_binding_counts_the_same)
{
    const std::string endpoint = unique_inproc();
    push_.set(ZMQ_SNDHWM, 4);
    pull_.set(ZMQ_RCVHWM, 3);
    push_.connect(endpoint);
    EXPECT_EQ(4, fill(push_));
    pull_.bind(endpoint);
    EXPECT_EQ("0", pull_.recv());
}

TEST_F(contract_hwm_test, zero_means_no_limit)
{
    const std::pair<int, int> marks[] = {{0, 0}, {0, 1}, {1, 0}};
    for (const auto& [sndhwm, rcvhwm] : marks) {
        socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
        push.set(ZMQ_SNDHWM, sndhwm);
        pull.set(ZMQ_RCVHWM, rcvhwm);
        push.connect(pull.bind(unique_inproc()));
        EXPECT_EQ(20000, fill(push, 20000));
        EXPECT_EQ(20000u, pull.drain().size());
    }
}

TEST_F(contract_hwm_test, a_message_counts_once_however_many_frames_it_has)
{
    join(2, 2);
    for (int i = 0; i < 4; ++i) {
        push_.send_parts({"a", "b", "c", "d", "e"}, ZMQ_DONTWAIT);
    }
    EXPECT_EQ(EAGAIN, push_.try_send("one more", ZMQ_SNDMORE));
    EXPECT_EQ(4u, pull_.drain().size());
}

TEST_F(contract_hwm_test, a_message_begun_below_the_mark_can_be_finished)
{
    join(1, 1);
    push_.send("whole");
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(0, push_.try_send(std::to_string(i), ZMQ_SNDMORE));
    }
    EXPECT_EQ(0, push_.try_send("last"));
    EXPECT_EQ("whole", pull_.recv());
    EXPECT_EQ(101u, pull_.recv_parts().size());
}

TEST_F(contract_hwm_test, an_emptied_queue_takes_at_least_half_of_the_mark_again)
{
    for (const int hwm : {1, 2, 3, 7, 10, 101, 1000}) {
        socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
        push.set(ZMQ_SNDHWM, hwm);
        pull.set(ZMQ_RCVHWM, hwm);
        push.connect(pull.bind(unique_inproc()));
        EXPECT_EQ(2 * hwm, fill(push));
        EXPECT_EQ(static_cast<std::size_t>(2 * hwm), pull.drain().size());
        EXPECT_TRUE(push.wait(ZMQ_POLLOUT));
        const int again = fill(push);
        EXPECT_GE(again, hwm) << hwm;
        EXPECT_LE(again, 2 * hwm) << hwm;
    }
}

TEST_F(contract_hwm_test, a_raised_mark_reaches_live_connections)
{
    join(2, 2);
    EXPECT_EQ(4, fill(push_, 4));
    push_.set(ZMQ_SNDHWM, 12);  // a socket that has found its peer full looks again when the peer reads
    EXPECT_EQ(10, fill(push_));
    EXPECT_EQ(14u, pull_.drain().size());
}

TEST_F(contract_hwm_test, a_connecting_socket_holds_its_own_mark_while_no_peer_is_there)
{
    push_.set(ZMQ_SNDHWM, 5);
    push_.connect(tcp_peer::listen().endpoint());
    EXPECT_EQ(5, fill(push_));
}

TEST_F(contract_hwm_test, each_peer_has_a_queue_of_its_own)
{
    push_.set(ZMQ_SNDHWM, 5);
    for (int i = 0; i < 3; ++i) {
        push_.connect(tcp_peer::listen().endpoint());
    }
    EXPECT_EQ(15, fill(push_));
}

TEST_F(contract_hwm_test, a_blocked_sender_goes_on_when_there_is_room)
{
    for (const char* where : {"inproc", "tcp"}) {
        socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
        push.set(ZMQ_SNDHWM, 1);
        pull.set(ZMQ_RCVHWM, 1);
        push.set(ZMQ_SNDTIMEO, -1);
        push.connect(pull.bind(std::string_view(where) == "tcp" ? "tcp://127.0.0.1:*" : unique_inproc()));
        std::thread sender([&] {
            for (int i = 0; i < 3000; ++i) {
                push.send(std::to_string(i));
            }
        });
        for (int i = 0; i < 3000; ++i) {
            EXPECT_EQ(std::to_string(i), pull.recv());
        }
        sender.join();
    }
}

TEST_F(contract_hwm_test, send_and_receive_time_out)
{
    join(1, 1);
    fill(push_);
    char buffer[8];
    for (const int ms : {0, 1, 60}) {
        push_.set(ZMQ_SNDTIMEO, ms);
        auto start = clock::now();
        EXPECT_EQ(-1, zmq_send(push_, "x", 1, 0));
        EXPECT_EQ(EAGAIN, zmq_errno());
        EXPECT_GE(clock::now() - start, std::chrono::milliseconds(ms * 9 / 10));
        socket idle = ctx_.open(ZMQ_PULL);
        idle.set(ZMQ_RCVTIMEO, ms);
        start = clock::now();
        EXPECT_EQ(-1, zmq_recv(idle, buffer, sizeof buffer, 0));
        EXPECT_EQ(EAGAIN, zmq_errno());
        EXPECT_GE(clock::now() - start, std::chrono::milliseconds(ms * 9 / 10));
    }
}

TEST_F(contract_hwm_test, a_wait_ends_with_the_message_not_with_the_timeout)
{
    join(10, 10);
    const std::atomic<pid_t> receiver{::gettid()};
    std::thread sender([&] {
        EXPECT_TRUE(comes_to_sleep(receiver));
        push_.send("came");
    });
    pull_.set(ZMQ_RCVTIMEO, -1);
    EXPECT_EQ("came", pull_.recv());
    sender.join();
}

TEST_F(contract_hwm_test, dontwait_never_waits)
{
    join(1, 1);
    fill(push_);
    push_.set(ZMQ_SNDTIMEO, -1);
    pull_.set(ZMQ_RCVTIMEO, -1);
    EXPECT_EQ(EAGAIN, push_.try_send("x"));
    pull_.drain();
    expect_no_message(pull_);
}

TEST_F(contract_hwm_test, a_failed_send_leaves_the_message_with_the_caller)
{
    join(1, 1);
    fill(push_);
    zmq_msg_t msg;
    ASSERT_EQ(0, zmq_msg_init_size(&msg, 100));
    std::memset(zmq_msg_data(&msg), 'x', 100);
    EXPECT_EQ(-1, zmq_msg_send(&msg, push_, ZMQ_DONTWAIT));
    EXPECT_EQ(EAGAIN, zmq_errno());
    EXPECT_EQ(100u, zmq_msg_size(&msg));
    pull_.drain();
    EXPECT_EQ(100, zmq_msg_send(&msg, push_, 0));
    EXPECT_EQ(0u, zmq_msg_size(&msg));
    EXPECT_EQ(std::string(100, 'x'), pull_.recv());
    zmq_msg_close(&msg);
}

TEST_F(contract_hwm_test, a_signal_interrupts_a_wait)
{
    struct sigaction action {
    }, before{};
    action.sa_handler = [](int) {};
    ASSERT_EQ(0, sigaction(SIGUSR1, &action, &before));
    std::atomic<int> error{0};
    std::thread waiter([&] {
        char buffer[8];
        EXPECT_EQ(-1, zmq_recv(pull_, buffer, sizeof buffer, 0));
        error = zmq_errno();
    });
    EXPECT_TRUE(eventually([&] {
        if (error == 0) {
            pthread_kill(waiter.native_handle(), SIGUSR1);
        }
        return error != 0;
    }));
    waiter.join();
    EXPECT_EQ(EINTR, error);
    sigaction(SIGUSR1, &before, nullptr);
}

TEST_F(contract_hwm_test, conflate_keeps_the_last_message_alone)
{
    push_.set(ZMQ_CONFLATE, 1);
    push_.connect(pull_.bind(unique_inproc()));
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(0, push_.try_send(std::to_string(i)));
    }
    EXPECT_EQ("99", pull_.recv());
    expect_no_message(pull_);
    push_.send("next");
    EXPECT_EQ("next", pull_.recv());
}

TEST_F(contract_hwm_test, a_conflating_receiver_ends_with_the_last_message)
{
    pull_.set(ZMQ_CONFLATE, 1);
    push_.set(ZMQ_SNDHWM, 0);
    push_.connect(pull_.bind("tcp://127.0.0.1:*"));
    constexpr int count = 20000;
    for (int i = 0; i <= count; ++i) {
        push_.send(std::to_string(i));
    }
    int last = -1, received = 0;
    while (last != count && !HasFailure()) {
        const int number = std::atoi(pull_.recv().c_str());
        EXPECT_LT(last, number);
        last = number;
        ++received;
    }
    EXPECT_LE(received, count);
    expect_no_message(pull_);
}

// However a program looks, what it receives afterwards is what it would have received without.
void expect_newest_after_looks(socket& sender, socket& receiver)
{
    int last = 0;
    const auto send_next = [&] { sender.send(std::to_string(++last)); };
    const auto expect_newest = [&](const char* look) {
        EXPECT_EQ(std::to_string(last), receiver.recv()) << look;
        expect_no_message(receiver);
    };
    send_next();
    EXPECT_NE(0, receiver.get_int(ZMQ_EVENTS) & ZMQ_POLLIN);
    send_next();
    expect_newest("ZMQ_EVENTS");
    send_next();
    EXPECT_TRUE(receiver.wait(ZMQ_POLLIN, 0));
    send_next();
    EXPECT_TRUE(receiver.wait(ZMQ_POLLIN));
    send_next();
    expect_newest("zmq_poll");
    send_next();
    EXPECT_NE(0, receiver.get_int(ZMQ_EVENTS) & ZMQ_POLLIN);
    expect_newest("nothing newer came");
}

TEST_F(contract_hwm_test, a_look_takes_nothing_out_of_the_slot_of_a_conflating_socket)
{
    push_.set(ZMQ_CONFLATE, 1);
    push_.connect(pull_.bind(unique_inproc()));
    expect_newest_after_looks(push_, pull_);
    socket sender = ctx_.open(ZMQ_DEALER), receiver = ctx_.open(ZMQ_DEALER);
    receiver.set(ZMQ_CONFLATE, 1);
    receiver.connect(sender.bind(unique_inproc()));
    expect_newest_after_looks(sender, receiver);
}

// libzmq's SUB looks by taking a message.
TEST_F(contract_hwm_test, a_look_takes_nothing_out_of_the_slot_of_a_conflating_sub_in_zlink)
{
    socket pub = ctx_.open(ZMQ_PUB), sub = ctx_.open(ZMQ_SUB);
    sub.set(ZMQ_CONFLATE, 1);
    sub.subscribe("");
    sub.connect(pub.bind(unique_inproc()));
    expect_newest_after_looks(pub, sub);
}

}  // namespace
}  // namespace zlink::test
