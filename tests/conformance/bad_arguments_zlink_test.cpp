// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a caller may do wrong where libzmq would end the process, or read what is not there: an error value.
#include "support/zmq_fixture.hpp"

#include <cstring>

namespace zlink::test {
namespace {

class bad_arguments_test : public zmq_test {};

TEST_F(bad_arguments_test, null_endpoints_are_invalid)
{
    socket s = ctx_.open(ZMQ_PULL);
    const auto invalid = [](int rc) { return rc == -1 && zmq_errno() == EINVAL; };
    EXPECT_TRUE(invalid(zmq_bind(s, nullptr)));
    EXPECT_TRUE(invalid(zmq_connect(s, nullptr)));
    EXPECT_TRUE(invalid(zmq_unbind(s, nullptr)));
    EXPECT_TRUE(invalid(zmq_disconnect(s, nullptr)));
}

TEST_F(bad_arguments_test, null_option_buffers_are_invalid)
{
    socket s = ctx_.open(ZMQ_PULL);
    int value = 0;
    std::size_t size = sizeof value;
    const auto invalid = [](int rc) { return rc == -1 && zmq_errno() == EINVAL; };
    EXPECT_TRUE(invalid(zmq_setsockopt(s, ZMQ_SNDHWM, nullptr, sizeof value)));
    EXPECT_TRUE(invalid(zmq_getsockopt(s, ZMQ_SNDHWM, nullptr, &size)));
    EXPECT_TRUE(invalid(zmq_getsockopt(s, ZMQ_SNDHWM, &value, nullptr)));
}

TEST_F(bad_arguments_test, messages_that_are_none_are_a_bad_address)
{
    socket push = ctx_.open(ZMQ_PUSH);
    socket pull = ctx_.open(ZMQ_PULL);
    zmq_msg_t blank;
    std::memset(&blank, 0, sizeof blank);
    zmq_msg_t closed;
    zmq_msg_init(&closed);
    zmq_msg_close(&closed);
    const auto bad_address = [](int rc) { return rc == -1 && zmq_errno() == EFAULT; };
    EXPECT_TRUE(bad_address(zmq_msg_send(&blank, push, 0)));
    EXPECT_TRUE(bad_address(zmq_msg_send(&closed, push, 0)));
    EXPECT_TRUE(bad_address(zmq_msg_send(nullptr, push, 0)));
    EXPECT_TRUE(bad_address(zmq_msg_recv(&closed, pull, ZMQ_DONTWAIT)));
    EXPECT_TRUE(bad_address(zmq_msg_close(nullptr)));
}

}  // namespace
}  // namespace zlink::test
