// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zmq_msg_*(): what is an initialised message and what is not, which message owns the content, and the documented
// errors.
#define ZMQ_BUILD_DRAFT_API
#include "zmq.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace {

/// 0, or the errno of a call that returned -1.
int outcome(int rc)
{
    return rc < 0 ? zmq_errno() : 0;
}

std::string_view text(zmq_msg_t& msg)
{
    return {static_cast<const char*>(zmq_msg_data(&msg)), zmq_msg_size(&msg)};
}

zmq_msg_t blank()
{
    zmq_msg_t msg;
    std::memset(&msg, 0, sizeof msg);
    return msg;
}

void count_call(void*, void* hint)
{
    ++*static_cast<int*>(hint);
}

class message_test : public testing::Test {
protected:
    void SetUp() override { ASSERT_EQ(0, zmq_msg_init(&msg_)); }
    ~message_test() override { zmq_msg_close(&msg_); }

    void fill(std::string_view body)
    {
        zmq_msg_close(&msg_);
        ASSERT_EQ(0, zmq_msg_init_buffer(&msg_, body.data(), body.size()));
    }

    zmq_msg_t msg_;
};

/// Two PAIR sockets joined by inproc.
class message_exchange_test : public message_test {
protected:
    void SetUp() override
    {
        message_test::SetUp();
        ASSERT_EQ(0, zmq_bind(near_, "inproc://message_exchange"));
        ASSERT_EQ(0, zmq_connect(far_, "inproc://message_exchange"));
    }
    ~message_exchange_test() override
    {
        zmq_close(near_);
        zmq_close(far_);
        zmq_ctx_term(context_);
    }

    void* context_ = zmq_ctx_new();
    void* near_ = zmq_socket(context_, ZMQ_PAIR);
    void* far_ = zmq_socket(context_, ZMQ_PAIR);
};

TEST_F(message_test, that_was_never_initialised_is_a_bad_address)
{
    zmq_msg_t none = blank();
    EXPECT_EQ(EFAULT, outcome(zmq_msg_close(&none)));
    EXPECT_EQ(EFAULT, outcome(zmq_msg_copy(&none, &msg_)));
    EXPECT_EQ(EFAULT, outcome(zmq_msg_copy(&msg_, &none)));
    EXPECT_EQ(EFAULT, outcome(zmq_msg_move(&none, &msg_)));
    EXPECT_EQ(EFAULT, outcome(zmq_msg_move(&msg_, &none)));
    EXPECT_EQ(EFAULT, outcome(zmq_msg_get(&none, ZMQ_MORE)));
    EXPECT_EQ(EFAULT, outcome(zmq_msg_set(&none, ZMQ_MORE, 1)));
    EXPECT_EQ(EFAULT, outcome(zmq_msg_set_routing_id(&none, 1)));
    EXPECT_EQ(EFAULT, outcome(zmq_msg_set_group(&none, "")));
    EXPECT_EQ(nullptr, zmq_msg_data(&none));
    EXPECT_EQ(0u, zmq_msg_size(&none));
    EXPECT_EQ(0, zmq_msg_more(&none));
    EXPECT_EQ(0u, zmq_msg_routing_id(&none));
    EXPECT_EQ(nullptr, zmq_msg_gets(&none, "Socket-Type"));
}

TEST_F(message_test, that_is_null_is_a_bad_address)
{
    EXPECT_EQ(EFAULT, outcome(zmq_msg_init(nullptr)));
    EXPECT_EQ(EFAULT, outcome(zmq_msg_init_size(nullptr, 1)));
    EXPECT_EQ(EFAULT, outcome(zmq_msg_init_buffer(nullptr, "x", 1)));
    EXPECT_EQ(EFAULT, outcome(zmq_msg_init_data(nullptr, nullptr, 0, nullptr, nullptr)));
    EXPECT_EQ(EFAULT, outcome(zmq_msg_close(nullptr)));
    EXPECT_EQ(EFAULT, outcome(zmq_msg_move(&msg_, nullptr)));
    EXPECT_EQ(EFAULT, outcome(zmq_msg_copy(&msg_, nullptr)));
    EXPECT_EQ(nullptr, zmq_msg_data(nullptr));
}

TEST_F(message_test, is_made_from_a_buffer_by_copying)
{
    for (const std::size_t size : {0, 1, 40, 41, 10000}) {
        std::string body(size, 'b');
        zmq_msg_t copy;
        ASSERT_EQ(0, zmq_msg_init_buffer(&copy, body.data(), body.size()));
        const std::string before = body;
        body.assign(size, '-');
        EXPECT_EQ(before, text(copy));
        EXPECT_EQ(0, zmq_msg_close(&copy));
    }
    EXPECT_EQ(EFAULT, outcome(zmq_msg_init_buffer(&msg_, nullptr, 1)));
    EXPECT_EQ(0, zmq_msg_init_buffer(&msg_, nullptr, 0));
}

TEST_F(message_test, moved_or_copied_onto_itself_stays_as_it_is)
{
    for (const std::size_t size : {5, 5000}) {
        const std::string body(size, 's');
        fill(body);
        EXPECT_EQ(0, zmq_msg_move(&msg_, &msg_));
        EXPECT_EQ(body, text(msg_));
        EXPECT_EQ(0, zmq_msg_copy(&msg_, &msg_));
        EXPECT_EQ(body, text(msg_));
    }
}

TEST_F(message_test, is_shared_when_it_is_constant_or_copied_by_reference)
{
    static char constant[] = "constant";
    zmq_msg_t other;
    ASSERT_EQ(0, zmq_msg_init_data(&other, constant, sizeof constant, nullptr, nullptr));
    EXPECT_EQ(1, zmq_msg_get(&other, ZMQ_SHARED));
    fill(std::string(1000, 'x'));
    EXPECT_EQ(0, zmq_msg_get(&msg_, ZMQ_SHARED));
    ASSERT_EQ(0, zmq_msg_copy(&other, &msg_));
    EXPECT_EQ(1, zmq_msg_get(&msg_, ZMQ_SHARED));
    EXPECT_EQ(1, zmq_msg_get(&other, ZMQ_SHARED));
    EXPECT_EQ(zmq_msg_data(&msg_), zmq_msg_data(&other));
    EXPECT_EQ(0, zmq_msg_close(&other));
}

TEST_F(message_test, has_no_descriptor_and_no_properties_unless_received)
{
    EXPECT_EQ(-1, zmq_msg_get(&msg_, ZMQ_SRCFD));
    errno = 0;
    EXPECT_EQ(nullptr, zmq_msg_gets(&msg_, "Socket-Type"));
    EXPECT_EQ(EINVAL, zmq_errno());
    EXPECT_EQ(nullptr, zmq_msg_gets(&msg_, nullptr));
}

TEST_F(message_test, keeps_a_routing_id_but_not_zero)
{
    EXPECT_EQ(0u, zmq_msg_routing_id(&msg_));
    EXPECT_EQ(EINVAL, outcome(zmq_msg_set_routing_id(&msg_, 0)));
    EXPECT_EQ(0, zmq_msg_set_routing_id(&msg_, 4711));
    EXPECT_EQ(4711u, zmq_msg_routing_id(&msg_));
}

TEST_F(message_test, keeps_a_group)
{
    EXPECT_STREQ("", zmq_msg_group(&msg_));
    EXPECT_EQ(0, zmq_msg_set_group(&msg_, ""));
    for (const std::string& group : {std::string("group"), std::string(ZMQ_GROUP_MAX_LENGTH, 'g'), std::string()}) {
        EXPECT_EQ(0, zmq_msg_set_group(&msg_, group.c_str()));
        EXPECT_STREQ(group.c_str(), zmq_msg_group(&msg_));
    }
    EXPECT_EQ(0, zmq_msg_set_group(&msg_, "kept"));
    EXPECT_EQ(EINVAL, outcome(zmq_msg_set_group(&msg_, std::string(ZMQ_GROUP_MAX_LENGTH + 1, 'g').c_str())));
    EXPECT_EQ(EFAULT, outcome(zmq_msg_set_group(&msg_, nullptr)));
    EXPECT_STREQ("kept", zmq_msg_group(&msg_));
}

TEST_F(message_test, copies_and_moves_keep_group_and_routing_id)
{
    for (const std::string& group : {std::string("group"), std::string(ZMQ_GROUP_MAX_LENGTH, 'g')}) {
        fill("content");
        EXPECT_EQ(0, zmq_msg_set_group(&msg_, group.c_str()));
        EXPECT_EQ(0, zmq_msg_set_routing_id(&msg_, 4711));
        zmq_msg_t copy, moved;
        zmq_msg_init(&copy);
        zmq_msg_init(&moved);
        EXPECT_EQ(0, zmq_msg_copy(&copy, &msg_));
        EXPECT_EQ(0, zmq_msg_move(&moved, &msg_));
        EXPECT_STREQ("", zmq_msg_group(&msg_));
        EXPECT_EQ(0u, zmq_msg_routing_id(&msg_));
        for (zmq_msg_t* m : {&copy, &moved}) {
            EXPECT_STREQ(group.c_str(), zmq_msg_group(m));
            EXPECT_EQ(4711u, zmq_msg_routing_id(m));
            EXPECT_EQ(0, zmq_msg_close(m));
        }
    }
}

TEST_F(message_exchange_test, is_empty_but_initialised_after_sending)
{
    for (const std::size_t size : {3, 3000, 300000}) {
        fill(std::string(size, 'm'));
        EXPECT_EQ(int(size), zmq_msg_send(&msg_, far_, 0));
        EXPECT_EQ(0u, zmq_msg_size(&msg_));
        EXPECT_EQ(0, zmq_msg_close(&msg_));
        ASSERT_EQ(0, zmq_msg_init(&msg_));
        EXPECT_EQ(int(size), zmq_msg_recv(&msg_, near_, 0));
        EXPECT_EQ(std::string(size, 'm'), text(msg_));
    }
}

TEST_F(message_exchange_test, that_is_none_cannot_be_sent_or_received_into)
{
    zmq_msg_t none = blank();
    EXPECT_EQ(EFAULT, outcome(zmq_msg_send(&none, far_, 0)));
    EXPECT_EQ(EFAULT, outcome(zmq_msg_recv(&none, near_, ZMQ_DONTWAIT)));
    EXPECT_EQ(ENOTSOCK, outcome(zmq_msg_send(&msg_, nullptr, 0)));
    EXPECT_EQ(ENOTSOCK, outcome(zmq_msg_recv(&msg_, nullptr, 0)));
}

TEST_F(message_exchange_test, gives_lent_memory_back_once_whatever_becomes_of_it)
{
    static char lent[100000];
    for (const std::size_t size : {10, 1000, 100000}) {
        int calls = 0;
        zmq_msg_t out, copy;
        ASSERT_EQ(0, zmq_msg_init_data(&out, lent, size, count_call, &calls));
        ASSERT_EQ(0, zmq_msg_init(&copy));
        ASSERT_EQ(0, zmq_msg_copy(&copy, &out));
        EXPECT_EQ(int(size), zmq_msg_send(&out, far_, 0));
        EXPECT_EQ(int(size), zmq_msg_recv(&msg_, near_, 0));
        EXPECT_EQ(0, zmq_msg_close(&copy));
        EXPECT_EQ(0, zmq_msg_close(&msg_));
        // What was sent may wait in the lane for the next message; none comes after the end of the socket.
        EXPECT_EQ(0, zmq_msg_init(&msg_));
        EXPECT_LE(calls, 1);
        zmq_close(near_);
        zmq_close(far_);
        near_ = zmq_socket(context_, ZMQ_PAIR);
        far_ = zmq_socket(context_, ZMQ_PAIR);
        ASSERT_EQ(0, zmq_bind(near_, "inproc://message_exchange"));
        ASSERT_EQ(0, zmq_connect(far_, "inproc://message_exchange"));
        EXPECT_EQ(1, calls) << size;
        EXPECT_EQ(0, zmq_msg_close(&out));
    }
}

TEST_F(message_exchange_test, keeps_more_from_the_frame_received_and_sends_what_the_flags_say)
{
    ASSERT_EQ(1, zmq_send(far_, "a", 1, ZMQ_SNDMORE));
    ASSERT_EQ(1, zmq_send(far_, "b", 1, 0));
    ASSERT_EQ(1, zmq_msg_recv(&msg_, near_, 0));
    EXPECT_EQ(1, zmq_msg_more(&msg_));
    EXPECT_EQ(1, zmq_msg_send(&msg_, near_, 0)) << "without ZMQ_SNDMORE: the end of a message";
    ASSERT_EQ(1, zmq_msg_recv(&msg_, far_, 0));
    EXPECT_EQ(0, zmq_msg_more(&msg_));
}

TEST_F(message_exchange_test, buffers_that_are_null_need_a_size_of_zero)
{
    EXPECT_EQ(EFAULT, outcome(zmq_send(far_, nullptr, 1, 0)));
    EXPECT_EQ(EFAULT, outcome(zmq_send_const(far_, nullptr, 1, 0)));
    EXPECT_EQ(EFAULT, outcome(zmq_recv(near_, nullptr, 1, ZMQ_DONTWAIT)));
    EXPECT_EQ(0, zmq_send(far_, nullptr, 0, 0));
    EXPECT_EQ(0, zmq_recv(near_, nullptr, 0, 0));
}

}  // namespace
