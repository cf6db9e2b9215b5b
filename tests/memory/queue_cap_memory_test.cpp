// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The cap of a context bounds memory, though many receivers never read.
#include "allocations.hpp"
#include "support/zmq_fixture.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace zlink::test {
namespace {

class queue_cap_memory_test : public zmq_test, public testing::WithParamInterface<const char*> {};

TEST_P(queue_cap_memory_test, of_receivers_that_never_read_is_bounded)
{
    constexpr std::int64_t cap = 1'000'000;
    constexpr std::size_t receivers = 50;
    constexpr int each = 100;  // 50 MB of messages
    constexpr std::size_t body_size = 10'000;
    ASSERT_EQ(0, zmq_ctx_set_ext(ctx_, ZLINK_MAX_QUEUED_BYTES, &cap, sizeof cap)) << zlink_last_error();
    context elsewhere;
    std::vector<socket> pulls;
    std::vector<socket> pushes;
    const bool binds_name = std::string(GetParam()).starts_with("inproc");
    for (std::size_t i = 0; i < receivers; ++i) {
        pulls.push_back(ctx_.open(ZMQ_PULL));
        pushes.push_back((binds_name ? ctx_ : elsewhere).open(ZMQ_PUSH));
        pulls.back().set(ZMQ_RCVHWM, 0);
        pushes.back().set(ZMQ_SNDHWM, binds_name ? 0 : 1);
        pushes.back().connect(pulls.back().bind(binds_name ? unique_inproc() : GetParam()));
        ASSERT_EQ(1, zlink_wait(pulls.back(), ZLINK_PEERS, 1, patience_ms));
    }
    const std::string body(body_size, 'x');
    const std::size_t before = octets_in_use();
    std::size_t largest = before;
    const auto send_to_all = [&] {
        for (socket& push : pushes) {
            if (push.try_send(body) != 0) {
                EXPECT_EQ(EAGAIN, zmq_errno());
            }
        }
        largest = std::max(largest, octets_in_use());
        zlink_stats_t stats{};
        stats.size = sizeof stats;
        EXPECT_EQ(0, zlink_socket_stats(pulls.front(), &stats));
        return stats.context_queued >= std::uint64_t(cap);
    };
    EXPECT_TRUE(eventually(send_to_all));
    for (int i = 0; i < each; ++i) send_to_all();
    // The cap, a message for each queue, and what each sender has itself.
    constexpr std::size_t most = std::size_t(cap) + receivers * 8 * body_size;
    EXPECT_GT(before + most, largest) << largest - before;
}

INSTANTIATE_TEST_SUITE_P(all, queue_cap_memory_test, testing::Values("inproc://*", "ipc://*"), scheme_of<const char*>);

}  // namespace
}  // namespace zlink::test
