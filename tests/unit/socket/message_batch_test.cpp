// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/message_batch.hpp"

#include "message/buffer.hpp"
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

void count_free(void*, void* hint)
{
    ++*static_cast<int*>(hint);
}

TEST_F(message_batch_test, shortcut_leaves_free_functions_to_the_caller)
{
    constexpr std::size_t many = 200;  // the shortcut is there long before
    const std::string content(100, 'a');
    std::vector<message::owned_frame> sent(many), room(many);
    for (auto& f : sent) ASSERT_TRUE(f.init_copy_of(content.data(), content.size()));
    held_socket out(out_), in(in_);
    spent_frames spent;
    int freed = 0;
    for (int round = 0; round < 3; ++round) {
        char foreign[100] = {};
        room.back().close();
        auto* const body = message::buffer::adopt(foreign, sizeof foreign, &count_free, &freed);
        ASSERT_NE(nullptr, body);
        room.back().init_buffer(body, reinterpret_cast<std::byte*>(foreign), sizeof foreign);
        std::size_t count = 0;
        EXPECT_EQ(errc::none, send_batch(out, all_of(sent), false, count));
        received_batch got;
        EXPECT_EQ(errc::none, receive_batch(in, all_of(room), false, spent, got));
        EXPECT_EQ(many, got.messages);
        for (auto& f : room) EXPECT_EQ(content, std::string(reinterpret_cast<const char*>(f.data()), f.size()));
        EXPECT_EQ(round, freed);
        spent.clear();
        EXPECT_EQ(round + 1, freed);
    }
}

}  // namespace
}  // namespace zlink::socket
