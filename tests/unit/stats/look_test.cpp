// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "stats/look.hpp"

#include "stats/service.hpp"

#include <gtest/gtest.h>

#include <zmq.h>

#include <atomic>

namespace zlink::stats {

namespace {

class look_test : public ::testing::Test {
protected:
    void SetUp() override
    {
        for (auto& c : contexts_) c = zmq_ctx_new();
        bound_ = zmq_socket(contexts_[0], ZMQ_PULL);
        other_ = zmq_socket(contexts_[1], ZMQ_PAIR);
        connected_ = zmq_socket(contexts_[0], ZMQ_PUSH);
        ASSERT_EQ(0, zmq_bind(bound_, "inproc://a"));
        ASSERT_EQ(0, zmq_connect(connected_, "inproc://a"));
        ASSERT_EQ(2, zmq_send(connected_, "hi", 2, 0));
    }
    void TearDown() override
    {
        for (void* s : {bound_, other_, connected_}) zmq_close(s);
        for (void* c : contexts_) zmq_ctx_term(c);
    }

    void* contexts_[2];
    void *bound_, *other_, *connected_;
    std::atomic<bool> ends_{false};
};

TEST_F(look_test, sees_the_sockets_of_all_contexts_in_the_order_of_their_creation)
{
    const auto seen = look_at_process(false, 0, ends_);
    ASSERT_TRUE(seen);
    ASSERT_EQ(3u, seen->sockets.size());
    EXPECT_EQ(socket_type::pull, seen->sockets[0].numbers.type);
    EXPECT_EQ(socket_type::pair, seen->sockets[1].numbers.type);
    EXPECT_EQ(1u, seen->sockets[2].numbers.messages.sent.messages);
    EXPECT_TRUE(seen->sockets[2].peers.empty());
    EXPECT_FALSE(seen->program.empty());
    EXPECT_GT(seen->process, 0);
}

TEST_F(look_test, sees_peers_if_it_is_asked_to)
{
    const auto seen = look_at_process(true, 10, ends_);
    ASSERT_TRUE(seen);
    ASSERT_EQ(1u, seen->sockets[2].peers.size());
    EXPECT_EQ(1u, seen->sockets[2].peers[0].messages.sent.messages);
    EXPECT_FALSE(look_at_process(true, 0, ends_)) << "there are too many";
}

TEST_F(look_test, ends_early_when_it_is_told)
{
    ends_ = true;
    EXPECT_FALSE(look_at_process(false, 0, ends_));
}

TEST(service_test, without_the_knob_nothing_is_served)
{
    context_begun();
    context_ended();
    context_ended();
}

}  // namespace

}  // namespace zlink::stats
