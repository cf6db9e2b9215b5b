// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Messages of up to a kilobyte need no malloc once traffic flows, whichever thread closes them, and what is kept for
// that is bounded.
#include "allocations.hpp"

#include <gtest/gtest.h>
#include <zmq.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

// Rounds of 500 messages until the memory of queues has grown to its full size.
constexpr int warm_up = 400;

long ended_with = 0;

class steady_state_test : public testing::TestWithParam<std::size_t> {
protected:
    void SetUp() override
    {
        context_ = zmq_ctx_new();
        ASSERT_NE(nullptr, context_);
    }

    void join(const char* endpoint, int binding, int connecting)
    {
        to_ = zmq_socket(context_, binding);
        from_ = zmq_socket(context_, connecting);
        if (sealed_) {
            ASSERT_NO_FATAL_FAILURE(seal());
        }
        ASSERT_EQ(0, zmq_bind(to_, endpoint));
        char bound[256];
        std::size_t size = sizeof bound;
        ASSERT_EQ(0, zmq_getsockopt(to_, ZMQ_LAST_ENDPOINT, bound, &size));
        ASSERT_EQ(0, zmq_connect(from_, bound));
    }

    void seal()
    {
        char open[2][41], secret[2][41];
        for (int i = 0; i < 2; ++i) ASSERT_EQ(0, zmq_curve_keypair(open[i], secret[i]));
        const int server = 1;
        ASSERT_EQ(0, zmq_setsockopt(to_, ZMQ_CURVE_SERVER, &server, sizeof server));
        ASSERT_EQ(0, zmq_setsockopt(to_, ZMQ_CURVE_SECRETKEY, secret[0], 41));
        ASSERT_EQ(0, zmq_setsockopt(from_, ZMQ_CURVE_SERVERKEY, open[0], 41));
        ASSERT_EQ(0, zmq_setsockopt(from_, ZMQ_CURVE_PUBLICKEY, open[1], 41));
        ASSERT_EQ(0, zmq_setsockopt(from_, ZMQ_CURVE_SECRETKEY, secret[1], 41));
    }

    ~steady_state_test() override
    {
        zmq_close(from_);
        zmq_close(to_);
        zmq_ctx_term(context_);
    }

    void send(std::size_t size)
    {
        zmq_msg_t msg;
        ASSERT_EQ(0, zmq_msg_init_size(&msg, size));
        std::memset(zmq_msg_data(&msg), int(size), size);
        ASSERT_EQ(int(size), zmq_msg_send(&msg, from_, 0));
    }

    zmq_msg_t receive(std::size_t size)
    {
        zmq_msg_t msg;
        zmq_msg_init(&msg);
        EXPECT_EQ(int(size), zmq_msg_recv(&msg, to_, 0));
        return msg;
    }

    /// Allocations of this thread in `rounds` rounds of 500 messages, each closed by `close`.
    template <class Close>
    long allocations(int rounds, std::size_t size, Close close)
    {
        constexpr int messages = 500;
        std::vector<zmq_msg_t> received;
        received.reserve(messages);
        long sum = 0;
        for (int round = 0; round < rounds; ++round) {
            const long before = zlink::test::allocations_of_this_thread();
            for (int i = 0; i < messages; ++i) send(size);
            for (int i = 0; i < messages; ++i) received.push_back(receive(size));
            sum += zlink::test::allocations_of_this_thread() - before;
            close(received);
            received.clear();
        }
        return sum;
    }

    static void close_here(std::vector<zmq_msg_t>& all)
    {
        for (zmq_msg_t& msg : all) zmq_msg_close(&msg);
    }
    static void close_on_another_thread(std::vector<zmq_msg_t>& all)
    {
        std::thread([&] { close_here(all); }).join();
    }

    bool sealed_ = false;  ///< with CURVE
    void* context_ = nullptr;
    void* to_ = nullptr;
    void* from_ = nullptr;
};

TEST_P(steady_state_test, a_thread_that_closes_its_messages_allocates_nothing)
{
    ASSERT_NO_FATAL_FAILURE(join("inproc://steady", ZMQ_PAIR, ZMQ_PAIR));
    (void)allocations(warm_up, GetParam(), close_here);
    EXPECT_EQ(0, allocations(20, GetParam(), close_here));
}

TEST_P(steady_state_test, messages_closed_by_another_thread_cost_no_allocation)
{
    ASSERT_NO_FATAL_FAILURE(join("inproc://steady", ZMQ_PAIR, ZMQ_PAIR));
    (void)allocations(warm_up, GetParam(), close_on_another_thread);
    EXPECT_EQ(0, allocations(20, GetParam(), close_on_another_thread));
}

TEST_P(steady_state_test, parts_and_copies_cost_no_allocation)
{
    ASSERT_NO_FATAL_FAILURE(join("inproc://steady", ZMQ_PAIR, ZMQ_PAIR));
    const auto exchange = [&] {
        zmq_msg_t msg, copy;
        ASSERT_EQ(0, zmq_msg_init_size(&msg, GetParam()));
        zmq_msg_init(&copy);
        ASSERT_EQ(0, zmq_msg_copy(&copy, &msg));
        ASSERT_GE(zmq_msg_send(&msg, from_, ZMQ_SNDMORE), 0);
        ASSERT_GE(zmq_msg_send(&copy, from_, 0), 0);
        // The second replaces the first.
        ASSERT_GE(zmq_msg_recv(&msg, to_, 0), 0);
        ASSERT_GE(zmq_msg_recv(&msg, to_, 0), 0);
        zmq_msg_close(&msg);
    };
    for (int i = 0; i < 200'000; ++i) exchange();
    const long before = zlink::test::allocations_of_this_thread();
    for (int i = 0; i < 10'000; ++i) exchange();
    EXPECT_EQ(0, zlink::test::allocations_of_this_thread() - before);
}

TEST_P(steady_state_test, foreign_data_costs_no_allocation_of_ours)
{
    ASSERT_NO_FATAL_FAILURE(join("inproc://steady", ZMQ_PAIR, ZMQ_PAIR));
    std::vector<char> data(GetParam());
    int freed = 0;
    const auto exchange = [&] {
        zmq_msg_t msg;
        const auto count = [](void*, void* hint) { ++*static_cast<int*>(hint); };
        ASSERT_EQ(0, zmq_msg_init_data(&msg, data.data(), data.size(), count, &freed));
        ASSERT_GE(zmq_msg_send(&msg, from_, 0), 0);
        ASSERT_GE(zmq_msg_recv(&msg, to_, 0), 0);
        zmq_msg_close(&msg);
    };
    for (int i = 0; i < 200'000; ++i) exchange();
    const long before = zlink::test::allocations_of_this_thread();
    for (int i = 0; i < 10'000; ++i) exchange();
    EXPECT_EQ(0, zlink::test::allocations_of_this_thread() - before);
    EXPECT_EQ(210'000, freed);
}

// What connections read into comes from a store that all threads share, and from malloc where that is in use.
TEST_P(steady_state_test, messages_of_a_connection_need_next_to_none)
{
    ASSERT_NO_FATAL_FAILURE(join("tcp://127.0.0.1:*", ZMQ_PULL, ZMQ_PUSH));
    (void)allocations(warm_up, GetParam(), close_here);
    EXPECT_LT(allocations(20, GetParam(), close_here), 20 * 500 / 20);
}

#ifdef ZLINK_CURVE
TEST_P(steady_state_test, nor_do_sealed_messages)
{
    sealed_ = true;
    ASSERT_NO_FATAL_FAILURE(join("tcp://127.0.0.1:*", ZMQ_PULL, ZMQ_PUSH));
    (void)allocations(warm_up, GetParam(), close_here);
    EXPECT_LT(allocations(20, GetParam(), close_here), 20 * 500 / 20);
}
#endif

// Of each class of sizes: what a thread keeps, and what all threads keep together.
constexpr long most_in_a_thread = 32;
constexpr long most_in_the_depot = 1024;

TEST(kept_bodies_test, are_no_more_than_promised)
{
    constexpr long many = 4000;
    std::vector<zmq_msg_t> all(many);
    long allocated = 0;
    for (int round = 0; round < 3; ++round) {
        const long before = zlink::test::allocations_of_this_thread();
        for (zmq_msg_t& msg : all) ASSERT_EQ(0, zmq_msg_init_size(&msg, 700));
        allocated = zlink::test::allocations_of_this_thread() - before;
        for (zmq_msg_t& msg : all) ASSERT_EQ(0, zmq_msg_close(&msg));
    }
    EXPECT_GE(allocated, many - most_in_the_depot - most_in_a_thread);
    EXPECT_LE(allocated, many - most_in_the_depot);
}

TEST(kept_bodies_test, of_ended_threads_are_used_again)
{
    const auto make_some = [] {
        const long before = zlink::test::allocations_of_this_thread();
        zmq_msg_t all[most_in_a_thread];
        for (zmq_msg_t& msg : all) ASSERT_EQ(0, zmq_msg_init_size(&msg, 800));
        for (zmq_msg_t& msg : all) ASSERT_EQ(0, zmq_msg_close(&msg));
        // The first thread makes them all; the others need a little for themselves.
        EXPECT_LE(zlink::test::allocations_of_this_thread() - before, most_in_a_thread + 4);
        ended_with = zlink::test::allocations_of_this_thread() - before;
    };
    for (int i = 0; i < 100; ++i) std::thread(make_some).join();
    EXPECT_LE(ended_with, 4);
}

INSTANTIATE_TEST_SUITE_P(sizes, steady_state_test, testing::Values(16, 40, 41, 64, 65, 256, 1000, 1024),
                         [](const auto& test) { return std::to_string(test.param); });

}  // namespace
