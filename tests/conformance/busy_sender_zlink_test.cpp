// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether a thread that sends writes to its connections itself: one that computes without a rest leaves that to the I/O
// threads.
#include "support/zmq_fixture.hpp"

#include <zlink.h>

#include <chrono>
#include <string>
#include <thread>

namespace zlink::test {
namespace {

using namespace std::chrono_literals;

std::uint64_t left_by_busy_threads()
{
    zlink_load_counter_t c{};
    for (std::size_t i = 0; zlink_load_counter(i, &c) == 0; ++i) {
        if (std::string(c.name) == "own_write_busy") return c.times;
    }
    return 0;
}

void compute(std::chrono::microseconds time)
{
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
    }
}

class busy_sender_test : public zmq_test, public testing::WithParamInterface<const char*> {
protected:
    busy_sender_test()
    {
        // A receiver that is not read limits nothing.
        push_.set(ZMQ_SNDHWM, 0);
        pull_.set(ZMQ_RCVHWM, 0);
        push_.connect(pull_.bind(GetParam()));
        push_.send("first");
        EXPECT_EQ("first", pull_.recv());
    }

    socket pull_ = ctx_.open(ZMQ_PULL), push_ = ctx_.open(ZMQ_PUSH);
};

// Whichever thread writes it: each message arrives while the sender goes on computing, and in order.
TEST_P(busy_sender_test, what_a_thread_sends_that_never_rests_arrives_in_order)
{
    constexpr int count = 500;
    std::jthread sender([this] {
        for (int i = 0; i < count; ++i) {
            push_.send(std::to_string(i));
            compute(30us);
        }
    });
    for (int i = 0; i < count; ++i) ASSERT_EQ(std::to_string(i), pull_.recv());
}

TEST_P(busy_sender_test, who_sleeps_between_messages_leaves_none)
{
    const std::uint64_t before = left_by_busy_threads();
    for (int i = 0; i < 50; ++i) {
        std::this_thread::sleep_for(1ms);  // a sleep of the sender is what the rule looks for
        push_.send(std::to_string(i));
    }
    EXPECT_EQ(before, left_by_busy_threads());
    for (int i = 0; i < 50; ++i) EXPECT_EQ(std::to_string(i), pull_.recv());
}

INSTANTIATE_TEST_SUITE_P(transports, busy_sender_test, testing::Values("tcp://127.0.0.1:*", "ipc://*"));

}  // namespace
}  // namespace zlink::test
