// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// I/O threads look whether a thread is back that has left something: at the connection where it was left, and no other.
#include "support/zmq_fixture.hpp"

#include <zlink.h>

#include <chrono>
#include <string>
#include <vector>

namespace zlink::test {
namespace {

std::uint64_t looks()
{
    std::uint64_t sum = 0;
    zlink_load_counter_t c{};
    for (std::size_t i = 0; zlink_load_counter(i, &c) == 0; ++i) {
        const std::string name = c.name;
        if (name == "look" || name == "look_gone") sum += c.times;
    }
    return sum;
}

using load_looks_test = zmq_test;

// A thread reads sixteen connections in quick rounds, which leaves them parked in between. It holds messages back on
// another connection while it has something unread there. That one is looked at each 200 us, the others as often as the
// time allows that their thread may stay away. That is a millisecond and more. So there is a bound in elapsed time,
// however fast or slow all of it is.
TEST_F(load_looks_test, what_is_held_on_one_connection_has_no_other_looked_at)
{
    using namespace std::chrono;
    constexpr int others = 16;
    context peers;
    socket pull = ctx_.open(ZMQ_PULL), near = ctx_.open(ZMQ_DEALER), far = peers.open(ZMQ_DEALER);
    for (socket* s : {&near, &far}) {
        s->set(ZMQ_SNDHWM, 0);
        s->set(ZMQ_RCVHWM, 0);
    }
    const std::string where = pull.bind("tcp://127.0.0.1:*");
    far.connect(near.bind("tcp://127.0.0.1:*"));
    std::vector<socket> pushes;
    for (int i = 0; i < others; ++i) {
        pushes.push_back(peers.open(ZMQ_PUSH));
        pushes.back().connect(where);
    }
    const auto round = [&] {
        for (socket& push : pushes) push.send("another");
        for (int i = 0; i < others; ++i) ASSERT_EQ("another", pull.recv());
    };
    const auto hold = [&] {
        far.send("unread");
        ASSERT_TRUE(near.wait(ZMQ_POLLIN));
        for (int i = 0; i < 4; ++i) near.send("held");
        ASSERT_EQ("unread", near.recv());
        EXPECT_FALSE(near.recv_frame(ZMQ_DONTWAIT));  // what was held goes out
    };
    for (int i = 0; i < 4 * others; ++i) round();

    const std::uint64_t before = looks();
    const auto begin = steady_clock::now();
    while (steady_clock::now() - begin < 300ms && !HasFatalFailure()) {
        hold();
        round();
    }
    const auto took = duration_cast<microseconds>(steady_clock::now() - begin);
    // Both ends of the connection with held messages, sixteen others, and what was under way.
    const auto most = 2 * (took / 200us) + others * (took / 1ms) + 4 * others;
    EXPECT_GE(std::uint64_t(most), looks() - before);
    RecordProperty("looks", std::to_string(looks() - before) + " of " + std::to_string(most));
}

}  // namespace
}  // namespace zlink::test
