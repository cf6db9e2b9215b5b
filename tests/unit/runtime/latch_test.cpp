// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The latch: a thread that waits goes on when nothing is alive, and sees all that was done before.
#include "runtime/latch.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

namespace zlink::runtime {
namespace {

TEST(latch_test, lets_everybody_pass_at_first)
{
    latch l;
    EXPECT_EQ(0u, l.count());
    EXPECT_TRUE(l.wait());
}

TEST(latch_test, counts)
{
    latch l;
    l.add();
    l.add();
    EXPECT_EQ(2u, l.count());
    l.remove();
    EXPECT_EQ(1u, l.count());
    l.remove();
    EXPECT_EQ(0u, l.count());
    EXPECT_TRUE(l.wait());
}

TEST(latch_test, opens_again_and_again)
{
    latch l;
    for (int round = 0; round < 100; ++round) {
        l.add();
        std::jthread remover([&] { l.remove(); });
        EXPECT_TRUE(l.wait());
        EXPECT_EQ(0u, l.count());
    }
}

TEST(latch_test, all_that_wait_go_on)
{
    latch l;
    l.add();
    l.add();
    std::vector<std::future<void>> waiting;
    for (int i = 0; i < 3; ++i) waiting.push_back(std::async(std::launch::async, [&] { EXPECT_TRUE(l.wait()); }));
    l.remove();
    for (auto& w : waiting) EXPECT_EQ(std::future_status::timeout, w.wait_for(std::chrono::seconds(0)));
    l.remove();
    for (auto& w : waiting) EXPECT_EQ(std::future_status::ready, w.wait_for(std::chrono::seconds(20)));
}

// zmq_ctx_term() sleeps here.
TEST(latch_test, a_thread_that_is_cancelled_in_its_wait_ends_within_100_ms)
{
    using namespace std::chrono_literals;
    static_assert(latch::cancelled_within <= 50ms, "and the time that the thread waits for a core");
    latch l;
    l.add();
    pthread_t waiting{};
    const auto wait = [](void* of) -> void* {
        (void)static_cast<latch*>(of)->wait();
        return nullptr;
    };
    ASSERT_EQ(0, ::pthread_create(&waiting, nullptr, wait, &l));
    ASSERT_EQ(0, ::pthread_cancel(waiting));
    void* result = nullptr;
    ASSERT_EQ(0, ::pthread_join(waiting, &result));
    EXPECT_EQ(PTHREAD_CANCELED, result);
    l.remove();
    EXPECT_TRUE(l.wait());
}

// Plain writes before remove() are there after wait(), and the latch may go at once.
TEST(latch_test, who_waited_sees_what_was_done_stress)
{
    for (int round = 0; round < 300; ++round) {
        std::array<int, 4> done{};
        std::vector<std::jthread> threads;
        {
            latch l;
            for (std::size_t i = 0; i < done.size(); ++i) {
                l.add();
                threads.emplace_back([&l, &done, i] {
                    done[i] = 1;
                    l.remove();
                });
            }
            ASSERT_TRUE(l.wait());
            for (const int d : done) ASSERT_EQ(1, d);
        }
    }
}

}  // namespace
}  // namespace zlink::runtime
