// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Commands about shared memory that wait to be written.
#include "engine/connection/exchange_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

namespace zlink::engine {
namespace {

std::vector<std::byte> frame(std::size_t size)
{
    return std::vector<std::byte>(size, std::byte{7});
}

TEST(exchange_queue_test, the_writer_gets_what_was_taken_up_in_order)
{
    exchange_queue q;
    EXPECT_TRUE(q.put(frame(3), {}));
    EXPECT_TRUE(q.put(frame(4), {}));
    EXPECT_TRUE(q.empty()) << "not taken up";
    q.take_up();
    EXPECT_EQ(3u, q.next().frame.size());
    q.accept(3);
    EXPECT_EQ(4u, q.next().frame.size());
    q.accept(4);
    EXPECT_TRUE(q.empty());
}

TEST(exchange_queue_test, a_descriptor_goes_with_the_first_octet)
{
    exchange_queue q;
    const int fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    EXPECT_TRUE(q.put(frame(5), unique_fd(fd)));
    q.take_up();
    q.accept(0);
    EXPECT_FALSE(q.begun());
    EXPECT_EQ(fd, q.next().descriptor.get());
    q.accept(1);
    EXPECT_TRUE(q.begun());
    EXPECT_FALSE(q.next().descriptor);
    EXPECT_EQ(-1, ::fcntl(fd, F_GETFD)) << "closed";
    q.accept(4);
    EXPECT_FALSE(q.begun());
    EXPECT_TRUE(q.empty());
}

TEST(exchange_queue_test, a_peer_that_takes_nothing_makes_nothing_grow)
{
    exchange_queue q;
    for (std::size_t i = 0; i < exchange_queue::most / 2; ++i) EXPECT_TRUE(q.put(frame(1), {}));
    q.take_up();
    for (std::size_t i = 0; i < exchange_queue::most / 2; ++i) EXPECT_TRUE(q.put(frame(1), {}));
    EXPECT_FALSE(q.put(frame(1), {}));
    q.take_up();
    EXPECT_FALSE(q.put(frame(1), {}));
    q.accept(1);
    EXPECT_TRUE(q.put(frame(1), {}));
}

// The worker puts commands in while another thread holds the token and writes.
TEST(exchange_queue_test, the_worker_puts_while_another_thread_writes)
{
    exchange_queue q;
    std::mutex token;
    constexpr std::size_t all = 5000;
    std::atomic<bool> right{true};
    std::thread writer([&] {
        for (std::size_t written = 0; written != all;) {
            const std::lock_guard held(token);
            if (q.empty()) continue;
            right = right && q.next().frame.size() == 1 + written % 7;
            q.accept(q.next().frame.size());
            ++written;
        }
    });
    for (std::size_t put = 0; put != all;) {
        if (q.put(frame(1 + put % 7), {})) ++put;
        const std::lock_guard held(token);
        q.take_up();
    }
    writer.join();
    EXPECT_TRUE(right);
}

}  // namespace
}  // namespace zlink::engine
