// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// An answer of the peer proves that there is room in a queue again. The room is there once the answer was received, so
// a program that waits for answers before it sends more is never refused.
#include "support/zmq_fixture.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <cstring>
#include <string>
#include <thread>

namespace zlink::test {
namespace {

constexpr int mark = 10;
constexpr int in_flight = 8;
constexpr int conversations = 20'000;

// A question's first part, and the others.
const std::string first(1058, 'q');
const parts rest(4, first);

class room_test : public ::testing::TestWithParam<const char*> {
protected:
    // Waits as programs with a loop of their own do: for the descriptor, and asks for events whenever that became
    // readable.
    static void wait_for_input(socket& s)
    {
        while ((s.get_int(ZMQ_EVENTS) & ZMQ_POLLIN) == 0 && !HasFailure()) {
            int fd = -1;
            std::size_t size = sizeof fd;
            ASSERT_EQ(0, zmq_getsockopt(s, ZMQ_FD, &fd, &size));
            pollfd one{fd, POLLIN, 0};
            (void)::poll(&one, 1, 1000);
        }
    }

    static socket with_marks(context& in, int type)
    {
        socket s = in.open(type);
        s.set(ZMQ_SNDHWM, mark);
        s.set(ZMQ_RCVHWM, mark);
        return s;
    }

    // Has some messages in flight, as many as the marks allow. Room may come later than an answer that proves it while
    // others are in flight (credit goes in steps). But once there is none everything has to be there.
    static void converse(socket& sender, socket& receiver)
    {
        int answered = 0;
        const auto take_answer = [&] {
            ASSERT_FALSE(receiver.recv_parts().empty());
            ++answered;
        };
        for (int sent = 0; sent < conversations && !HasFailure(); ++sent) {
            if (sent - answered == in_flight) take_answer();
            while (!HasFailure() && sender.try_send(first, ZMQ_SNDMORE) != 0) {
                ASSERT_EQ(EAGAIN, zmq_errno());
                ASSERT_LT(answered, sent) << "refused with nothing in flight";
                take_answer();
            }
            sender.send_parts(rest);
        }
        while (answered < conversations && !HasFailure()) take_answer();
    }

    context here_;
    context there_;
};

TEST_P(room_test, a_dealer_that_has_every_answer_may_send)
{
    socket dealer = with_marks(here_, ZMQ_DEALER), router = with_marks(there_, ZMQ_ROUTER);
    dealer.connect(router.bind(GetParam()));
    std::thread answering([&] {
        for (int i = 0; i < conversations && !HasFailure();) {
            wait_for_input(router);
            while (i < conversations && router.readable()) {
                router.send_parts(router.recv_parts());
                ++i;
            }
        }
    });
    converse(dealer, dealer);
    answering.join();
}

// The answer comes on another socket.
TEST_P(room_test, a_pusher_whose_messages_have_all_come_back_may_send)
{
    socket push = with_marks(here_, ZMQ_PUSH), back = with_marks(here_, ZMQ_PULL);
    socket pull = with_marks(there_, ZMQ_PULL), answers = with_marks(there_, ZMQ_PUSH);
    push.connect(pull.bind(GetParam()));
    answers.connect(back.bind(GetParam()));
    std::thread answering([&] {
        for (int i = 0; i < conversations && !HasFailure(); ++i) answers.send_parts(pull.recv_parts());
    });
    converse(push, back);
    answering.join();
}

INSTANTIATE_TEST_SUITE_P(over, room_test, ::testing::Values("tcp://127.0.0.1:*", "ipc://*", "ws://127.0.0.1:*"),
                         [](const auto& test) { return std::string(test.param, std::strcspn(test.param, ":")); });

}  // namespace
}  // namespace zlink::test
