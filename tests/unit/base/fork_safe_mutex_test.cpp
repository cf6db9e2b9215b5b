// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A child of fork takes the lock though a thread of its parent held it.
#include "base/fork_safe_mutex.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <mutex>
#include <thread>
#include <vector>

namespace zlink {
namespace {

TEST(fork_safe_mutex_test, a_child_of_fork_may_take_what_a_thread_of_its_parent_holds)
{
    watch_forks();
    fork_safe_mutex mutex;
    mutex.lock();
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(30);
        for (int i = 0; i < 2; ++i) {
            mutex.lock();
            mutex.unlock();
        }
        ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(child, ::waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
    mutex.unlock();
}

TEST(fork_safe_mutex_test, lets_one_thread_in_at_a_time_stress)
{
    constexpr int threads = 4, rounds = 20'000;
    fork_safe_mutex mutex;
    int count = 0;
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t) {
        all.emplace_back([&] {
            for (int i = 0; i < rounds; ++i) {
                const std::lock_guard lock(mutex);
                ++count;
            }
        });
    }
    for (std::thread& t : all) t.join();
    EXPECT_EQ(threads * rounds, count);
}

}  // namespace
}  // namespace zlink
