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

// Takes and frees it until this thread owns it.
void own(brief_lock& lock)
{
    asymmetric_fence::initialise(false);
    for (std::uint32_t i = 0; i <= 2 * brief_lock::times_to_own; ++i) {
        lock.lock();
        EXPECT_TRUE(lock.is_held());
        lock.unlock();
        EXPECT_FALSE(lock.is_held());
    }
    EXPECT_EQ(asymmetric_fence::light_costs_nothing(), lock.is_owned());
}

TEST(brief_lock_test, a_thread_that_takes_it_many_times_in_a_row_owns_it_until_another_one_comes)
{
    brief_lock lock;
    own(lock);
    std::thread([&] {
        lock.lock();
        EXPECT_FALSE(lock.is_owned());
        EXPECT_TRUE(lock.is_held());
        lock.unlock();
    }).join();
    EXPECT_FALSE(lock.is_owned());
    EXPECT_FALSE(lock.is_held());
    own(lock);
}

TEST(brief_lock_test, threads_that_take_it_in_turn_do_not_own_it)
{
    asymmetric_fence::initialise(false);
    brief_lock lock;
    for (int turn = 0; turn < 8; ++turn) {
        std::thread([&] {
            for (std::uint32_t i = 0; i < brief_lock::times_to_own / 2; ++i) {
                const std::lock_guard held(lock);
                EXPECT_FALSE(lock.is_owned());
            }
        }).join();
        const std::lock_guard held(lock);  // another thread may have the address of one that has ended
    }
}

TEST(brief_lock_test, more_threads_than_may_own_it_can_use_it)
{
    asymmetric_fence::initialise(false);
    brief_lock lock;
    int counter = 0;
    std::vector<std::thread> all;  // all living, so that each has an address of its own
    for (std::size_t t = 0; t < brief_lock::most_owners + 2; ++t) {
        all.emplace_back([&] {
            for (std::uint32_t i = 0; i < 4 * brief_lock::times_to_own; ++i) {
                const std::lock_guard held(lock);
                ++counter;
            }
        });
    }
    for (std::thread& t : all) t.join();
    EXPECT_EQ(int(all.size() * 4 * brief_lock::times_to_own), counter);
    EXPECT_FALSE(lock.is_held());
}

TEST(brief_lock_test, another_thread_waits_until_the_owner_has_left)
{
    brief_lock lock;
    own(lock);
    if (!lock.is_owned()) return;  // the kernel refuses membarrier: there are no owners
    lock.lock();
    bool left = false;  // the lock's
    std::thread other([&] {
        lock.lock();
        EXPECT_TRUE(left);
        lock.unlock();
    });
    while (lock.is_owned()) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // longer than it spins
    left = true;
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

// Ownership comes and goes all the time.
TEST(brief_lock_stress_test, nothing_is_lost_while_threads_own_it_in_turn)
{
    constexpr int threads = 3;
    constexpr int rounds = 30;
    constexpr int in_a_row = 2 * int(brief_lock::times_to_own);
    asymmetric_fence::initialise(false);
    brief_lock lock;
    int counter = 0;
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t) {
        all.emplace_back([&] {
            for (int round = 0; round < rounds; ++round) {
                for (int i = 0; i < in_a_row; ++i) {
                    const std::lock_guard held(lock);
                    ++counter;
                }
                std::this_thread::sleep_for(std::chrono::microseconds(100));  // others find it free, and owned
            }
        });
    }
    for (std::thread& t : all) t.join();
    EXPECT_EQ(threads * rounds * in_a_row, counter);
    EXPECT_FALSE(lock.is_held());
}

}  // namespace
}  // namespace zlink::runtime
