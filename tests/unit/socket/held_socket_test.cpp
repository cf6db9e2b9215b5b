// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/held_socket.hpp"

#include "socket/context.hpp"
#include "socket/polled_sockets.hpp"

#include <zlink.h>
#include <zmq.h>

#include <gtest/gtest.h>

#include <thread>

namespace zlink::socket {
namespace {

class held_socket_test : public ::testing::Test {
protected:
    held_socket_test() : s_(*context_->open_socket(ZMQ_DEALER)) {}
    ~held_socket_test() override
    {
        if (s_) held_socket(s_).close();
        EXPECT_EQ(errc::none, context_->terminate());
    }
    void share()
    {
        const int on = 1;
        EXPECT_EQ(errc::none, s_->set(ZLINK_SHARED, &on, sizeof on));
    }
    /// The refusal of a hold by another thread.
    [[nodiscard]] errc elsewhere() const
    {
        errc rejected = errc::none;
        std::thread([&] { rejected = held_socket(s_).refusal(); }).join();
        return rejected;
    }

    context* context_ = context::create();
    socket* s_;
};

TEST_F(held_socket_test, a_plain_socket_is_held_by_nothing)
{
    const held_socket s(s_);
    EXPECT_TRUE(s);
    EXPECT_EQ(s_, &*s);
    EXPECT_FALSE(s.led_off());
    EXPECT_EQ(errc::none, s.refusal());
    EXPECT_EQ(errc::none, elsewhere());
}

TEST_F(held_socket_test, null_and_a_closed_socket_are_refused)
{
    EXPECT_EQ(errc::not_a_socket, held_socket(nullptr).refusal());
    void* const handle = s_;
    held_socket(s_).close();
    s_ = nullptr;
    EXPECT_FALSE(held_socket(handle));
    EXPECT_EQ(errc::not_a_socket, held_socket(handle).refusal());
}

TEST_F(held_socket_test, a_checked_socket_is_of_one_thread_at_a_time)
{
    s_->check_threads();
    EXPECT_FALSE(socket::valid(s_));
    {
        const held_socket s(s_);
        const held_socket inner(s_);
        EXPECT_TRUE(s && inner && s.led_off() && !s.shared());
        EXPECT_EQ(errc::fsm, elsewhere());
    }
    EXPECT_EQ(errc::none, elsewhere());
}

TEST_F(held_socket_test, a_shared_socket_is_locked_while_it_is_held)
{
    share();
    EXPECT_FALSE(socket::valid(s_));
    handle_gate& gate = handle_gate::of(s_);
    {
        const held_socket s(s_);
        EXPECT_TRUE(s && s.shared() && s.led_off());
        EXPECT_TRUE(gate.lock.is_held());
    }
    EXPECT_FALSE(gate.lock.is_held());
    EXPECT_EQ(errc::none, elsewhere());
}

TEST_F(held_socket_test, a_poll_holds_checked_sockets_and_leaves_shared_ones_to_others)
{
    s_->check_threads();
    zmq_pollitem_t item{s_, -1, ZMQ_POLLIN, 0};
    {
        polled_sockets sockets({&item, 1});
        EXPECT_TRUE(sockets.all_plain());
        EXPECT_EQ(errc::none, sockets.examine());
        EXPECT_FALSE(sockets.all_plain());
        EXPECT_FALSE(sockets.any_shared());
        EXPECT_TRUE(sockets.is_unshared(item));
        EXPECT_EQ(errc::fsm, elsewhere());
    }
    EXPECT_EQ(errc::none, elsewhere());
    share();
    polled_sockets sockets({&item, 1});
    EXPECT_EQ(errc::none, sockets.examine());
    EXPECT_TRUE(sockets.any_shared());
    EXPECT_FALSE(sockets.is_unshared(item));
    EXPECT_EQ(errc::none, elsewhere());
    item.socket = nullptr;
    EXPECT_EQ(errc::none, polled_sockets({&item, 1}).examine());
}

}  // namespace
}  // namespace zlink::socket
