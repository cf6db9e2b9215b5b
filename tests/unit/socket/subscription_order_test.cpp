// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Subscriptions that a thread owes to others: from when they are made until they are written, or the socket goes.
#include "socket/subscription_order.hpp"

#include "lone_pipe.hpp"
#include "socket/context.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <thread>
#include <vector>

namespace zlink::socket {
namespace {

class subscription_order_test : public testing::Test {
protected:
    ~subscription_order_test() override
    {
        order_.forget();
        if (subscription_order::owed_by_this_thread()) subscription_order::write_owed();
        EXPECT_EQ(errc::none, context_->terminate());
    }

    static pipe::outgoing frame(std::string_view octets)
    {
        return {reinterpret_cast<const std::byte*>(octets.data()), octets.size(), false};
    }

    test::lone_pipe pipe_;
    std::vector<pipe::pipe_end*> pipes_{&pipe_.near()}, none_;
    context* context_ = context::create();
    subscription_order order_{*context_, pipes_, false};
};

TEST_F(subscription_order_test, an_xsub_subscribes_by_frames_that_begin_with_0_or_1)
{
    const subscription_order by_message{*context_, pipes_, true};
    EXPECT_TRUE(by_message.is_subscription(frame({"\1topic", 6})));
    EXPECT_TRUE(by_message.is_subscription(frame({"\0topic", 6})));
    EXPECT_TRUE(by_message.is_subscription(frame({"\1", 1})));
    EXPECT_FALSE(by_message.is_subscription(frame({"\2topic", 6})));
    EXPECT_FALSE(by_message.is_subscription(frame("")));
}

TEST_F(subscription_order_test, other_sockets_subscribe_by_no_frame)
{
    EXPECT_FALSE(order_.is_subscription(frame({"\1topic", 6})));
}

TEST_F(subscription_order_test, the_thread_that_has_subscribed_owes_until_it_has_written)
{
    EXPECT_FALSE(subscription_order::owed_by_this_thread());
    order_.note_told();
    EXPECT_TRUE(subscription_order::owed_by_this_thread());
    bool other_owes = true;
    std::thread([&other_owes] { other_owes = subscription_order::owed_by_this_thread(); }).join();
    EXPECT_FALSE(other_owes);
    subscription_order::write_owed();
    EXPECT_FALSE(subscription_order::owed_by_this_thread());
}

TEST_F(subscription_order_test, a_thread_can_owe_again)
{
    for (int i = 0; i < 3; ++i) {
        order_.note_told();
        EXPECT_TRUE(subscription_order::owed_by_this_thread());
        subscription_order::write_owed();
        EXPECT_FALSE(subscription_order::owed_by_this_thread());
    }
}

TEST_F(subscription_order_test, without_a_pipe_there_is_nothing_to_owe)
{
    subscription_order lonely{*context_, none_, false};
    lonely.note_told();
    EXPECT_FALSE(subscription_order::owed_by_this_thread());
}

TEST_F(subscription_order_test, a_thread_owes_nothing_of_a_socket_that_has_gone)
{
    {
        test::lone_pipe short_lived;
        const std::vector<pipe::pipe_end*> pipes{&short_lived.near()};
        subscription_order gone{*context_, pipes, false};
        gone.note_told();
        gone.forget();
    }
    subscription_order::write_owed();  // does not look at it any more
    EXPECT_FALSE(subscription_order::owed_by_this_thread());
}

TEST_F(subscription_order_test, a_publisher_is_behind_from_an_input_until_it_catches_up)
{
    EXPECT_FALSE(order_.behind()) << "it does not expect any";
    order_.expect();
    order_.catch_up();
    EXPECT_FALSE(order_.behind());
    pipe::count_receive();
    EXPECT_TRUE(order_.behind());
    order_.catch_up();
    EXPECT_FALSE(order_.behind());
}

TEST_F(subscription_order_test, a_subscription_is_input_of_a_publisher_of_this_process)
{
    order_.expect();
    order_.catch_up();
    subscription_order subscriber{*context_, none_, false};
    subscriber.note_told();
    EXPECT_TRUE(order_.behind());
}

}  // namespace
}  // namespace zlink::socket
