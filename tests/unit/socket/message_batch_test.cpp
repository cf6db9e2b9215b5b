// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/message_batch.hpp"

#include "socket/context.hpp"

#include <zmq.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zlink::socket {
namespace {

class message_batch_test : public ::testing::Test {
protected:
    message_batch_test() : out_(*context_->open_socket(ZMQ_PUSH)), in_(*context_->open_socket(ZMQ_PULL))
    {
        EXPECT_EQ(errc::none, in_->bind("inproc://batches"));
        EXPECT_EQ(errc::none, out_->connect("inproc://batches"));
    }
    ~message_batch_test() override
    {
        held_socket(out_).close();
        held_socket(in_).close();
        EXPECT_EQ(errc::none, context_->terminate());
    }

    static std::span<message::frame> all_of(std::vector<message::owned_frame>& frames)
    {
        return {static_cast<message::frame*>(frames.data()), frames.size()};
    }

    context* context_ = context::create();
    socket* out_;
    socket* in_;
};

TEST_F(message_batch_test, what_was_in_the_room_is_left_to_the_caller)
{
    std::vector<message::owned_frame> sent(3), room(3);
    const std::string content(100, 'a'), before(100, 'b');
    for (auto& f : sent) ASSERT_TRUE(f.init_copy_of(content.data(), content.size()));
    for (auto& f : room) ASSERT_TRUE(f.init_copy_of(before.data(), before.size()));
    held_socket out(out_), in(in_);
    std::size_t count = 0;
    EXPECT_EQ(errc::none, send_batch(out, all_of(sent), false, count));
    EXPECT_EQ(3u, count);
    spent_frames spent;
    received_batch got;
    EXPECT_EQ(errc::none, receive_batch(in, all_of(room), false, spent, got));
    EXPECT_EQ(3u, got.messages);
    EXPECT_EQ(3u, got.parts);
    EXPECT_EQ(3u, spent.size());
    for (auto& f : room) EXPECT_EQ(content, std::string(reinterpret_cast<const char*>(f.data()), f.size()));
    got = {};
    EXPECT_EQ(errc::again, receive_batch(in, all_of(room), true, spent, got));
    EXPECT_EQ(0u, got.messages);
    EXPECT_EQ(3u, spent.size());
}

}  // namespace
}  // namespace zlink::socket
