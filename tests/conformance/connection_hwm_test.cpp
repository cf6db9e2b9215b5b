// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// High-water marks of connections: what they take, whatever the messages look like, and that this is all. The kernel's
// buffers, which take messages as well, are small here.
#include "support/zmq_fixture.hpp"

#include <string_view>

namespace zlink::test {
namespace {

class connection_hwm_test : public zmq_test, public testing::WithParamInterface<const char*> {
protected:
    void join(int hwm, int kernel_buffer = 8192)
    {
        push_ = ctx_.open(ZMQ_PUSH);
        pull_ = ctx_.open(ZMQ_PULL);
        push_.set(ZMQ_SNDHWM, hwm);
        push_.set(ZMQ_SNDBUF, kernel_buffer);
        pull_.set(ZMQ_RCVHWM, hwm);
        pull_.set(ZMQ_RCVBUF, kernel_buffer);
        push_.connect(pull_.bind(GetParam()));
        push_.send("first");  // counts until half of the mark has been read
        EXPECT_EQ("first", pull_.recv());
    }

    // How many messages are taken until none has been for a while.
    int fill(const parts& message, int most)
    {
        push_.set(ZMQ_SNDTIMEO, 200);
        int taken = 0;
        for (; taken < most; ++taken) {
            for (std::size_t i = 0; i < message.size(); ++i) {
                const int flags = i + 1 < message.size() ? ZMQ_SNDMORE : 0;
                if (zmq_send(push_, message[i].data(), message[i].size(), flags) < 0) {
                    EXPECT_EQ(EAGAIN, zmq_errno());
                    return taken;
                }
            }
        }
        return taken;
    }

    socket push_, pull_;
};

TEST_P(connection_hwm_test, both_marks_are_taken_whatever_the_size)
{
    for (const std::size_t size : {64, 1024, 8192, 65536, 262144}) {
        SCOPED_TRACE(size);
        constexpr int hwm = 100;
        join(hwm);
        const std::string body(size, 'x');
        for (int i = 0; i < 2 * hwm - 1 && !HasFailure(); ++i) {
            push_.send(body);
        }
        for (int i = 0; i < 2 * hwm - 1 && !HasFailure(); ++i) {
            EXPECT_EQ(size, pull_.recv().size());
        }
    }
}

TEST_P(connection_hwm_test, the_default_marks_are_taken_by_messages_of_8_kilobytes)
{
    join(1000);
    const std::string body(8192, 'x');
    for (int i = 0; i < 1999 && !HasFailure(); ++i) {
        push_.send(body);
    }
    for (int i = 0; i < 1999 && !HasFailure(); ++i) {
        EXPECT_EQ(body.size(), pull_.recv().size());
    }
}

// A write to a unix socket takes the kernel's buffer with what the kernel needs for itself as well, so small ones hold
// little. Streams over tcp don't get the least buffer: its window (370 octets of 1152 are free) can stay smaller than a
// segment (576). Then the sending kernel waits for its timer of 200 ms before each segment (RFC 9293, section 3.8.6.2).
TEST_P(connection_hwm_test, the_default_marks_are_taken_by_small_messages_and_small_kernel_buffers)
{
    constexpr int hwm = 1000;
    for (const int kernel_buffer : {1, 4096, 8192}) {
        if (kernel_buffer == 1 && !std::string_view(GetParam()).starts_with("ipc")) continue;
        for (const std::size_t size : {1, 16, 64, 100, 500}) {
            SCOPED_TRACE(testing::Message() << size << " octets, buffers of " << kernel_buffer);
            join(hwm, kernel_buffer);
            const std::string body(size, 'x');
            for (int i = 0; i < 2 * hwm - 1 && !HasFailure(); ++i) {
                push_.send(body);
            }
            for (int i = 0; i < 2 * hwm - 1 && !HasFailure(); ++i) {
                EXPECT_EQ(body, pull_.recv());
            }
        }
    }
}

// Reads that end inside a message do not go on past the mark.
TEST_P(connection_hwm_test, no_more_is_taken_than_the_marks_and_the_kernel_hold)
{
    constexpr int hwm = 50;
    const parts shapes[] = {{"h", std::string(8192, 'x')},
                            {std::string(8192, 'x'), ""},
                            {"a", std::string(3000, 'x'), std::string(5100, 'x')},
                            {"h", std::string(40000, 'x')},
                            {std::string(8192, 'x')}};
    for (const parts& message : shapes) {
        SCOPED_TRACE(testing::PrintToString(message).substr(0, 20));
        join(hwm);
        const int taken = fill(message, 20 * hwm);
        EXPECT_LT(taken, 4 * hwm);
        for (int i = 0; i < taken && !HasFailure(); ++i) {
            EXPECT_EQ(message.size(), pull_.recv_parts().size());
        }
    }
}

INSTANTIATE_TEST_SUITE_P(transports, connection_hwm_test, testing::Values("tcp://127.0.0.1:*", "ipc://*"),
                         scheme_of<const char*>);

}  // namespace
}  // namespace zlink::test
