// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Queues that drop keep memory within their marks, though their reader never runs.
#include "allocations.hpp"
#include "support/zmq_fixture.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace zlink::test {
namespace {

class on_full_memory_test : public zmq_test {
protected:
    static constexpr int count = 10'000;  // 100 MB of messages
    static constexpr std::int64_t mark = 100'000;
    static inline const std::string body = std::string(10'000, 'x');

    static void set_bytes(socket& s, int option) { ASSERT_EQ(0, zmq_setsockopt(s, option, &mark, sizeof mark)); }

    socket push_ = ctx_.open(ZMQ_PUSH);
    socket pull_ = ctx_.open(ZMQ_PULL);
};

TEST_F(on_full_memory_test, of_a_sender_without_a_reader_is_bounded)
{
    constexpr std::size_t most = 1'000'000;
    push_.set(ZLINK_ON_FULL, ZLINK_DROP_OLDEST);
    push_.set(ZMQ_SNDHWM, 0);
    pull_.set(ZMQ_RCVHWM, 0);
    push_.set(ZMQ_LINGER, 0);
    set_bytes(push_, ZLINK_SNDHWM_BYTES);
    for (const std::string& endpoint : {pull_.bind(unique_inproc()), std::string("ipc:///tmp/zlink-nobody-is-here")}) {
        push_.connect(endpoint);
        const std::size_t before = octets_in_use();
        std::size_t largest = before;
        for (int i = 0; i < count; ++i) {
            ASSERT_EQ(0, push_.try_send(body));
            largest = std::max(largest, octets_in_use());
        }
        EXPECT_GT(before + most, largest) << endpoint;
        push_.disconnect(endpoint);
    }
}

// The messages come all the same: the connection is read, and its sender does not wait for the program.
TEST_F(on_full_memory_test, of_a_receiver_that_does_not_run_is_bounded)
{
    constexpr std::size_t most = 8'000'000;
    pull_.set(ZLINK_ON_FULL_RECEIVE, ZLINK_DROP_OLDEST);
    set_bytes(pull_, ZLINK_RCVHWM_BYTES);
    set_bytes(push_, ZLINK_SNDHWM_BYTES);
    push_.connect(pull_.bind("tcp://127.0.0.1:*"));
    const std::size_t before = octets_in_use();
    std::size_t largest = before;
    for (int i = 0; i < count; ++i) {
        ASSERT_TRUE(push_.send(body));
        largest = std::max(largest, octets_in_use());
    }
    EXPECT_GT(before + most, largest);
}

}  // namespace
}  // namespace zlink::test
