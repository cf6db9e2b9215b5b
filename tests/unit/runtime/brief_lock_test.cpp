// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/brief_lock.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

namespace zlink::runtime {
namespace {

TEST(brief_lock_test, is_held_by_one_at_a_time)
{
    brief_lock lock;
    EXPECT_FALSE(lock.is_held());
    lock.lock();
    EXPECT_TRUE(lock.is_held());
    EXPECT_FALSE(lock.try_lock());
    lock.unlock();
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
    EXPECT_FALSE(lock.is_held());
}

TEST(brief_lock_test, a_thread_that_finds_it_taken_gets_it_when_it_is_freed)
{
    brief_lock lock;
    lock.lock();
    std::thread other([&] {
        lock.lock();
        lock.unlock();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // longer than it spins
    lock.unlock();
    other.join();
    EXPECT_FALSE(lock.is_held());
}

// The counter is plain memory: a lock that lets two in at once loses counts, and ThreadSanitizer reports it.
TEST(brief_lock_stress_test, nothing_is_lost_among_threads_that_take_it_all_the_time)
{
    constexpr int threads = 4;
    constexpr int rounds = 20000;
    brief_lock lock;
    int counter = 0;
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t) {
        all.emplace_back([&] {
            for (int i = 0; i < rounds; ++i) {
                const std::lock_guard held(lock);
                ++counter;
                if (i % 1000 == 0) std::this_thread::yield();  // others find it taken for long
            }
        });
    }
    for (std::thread& t : all) t.join();
    EXPECT_EQ(threads * rounds, counter);
    EXPECT_FALSE(lock.is_held());
}

}  // namespace
}  // namespace zlink::runtime
