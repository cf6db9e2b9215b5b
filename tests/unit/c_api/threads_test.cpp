// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zmq_threadstart(), zmq_threadclose(), the stopwatch and zmq_sleep().
#include "zmq_utils.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <thread>

namespace {

TEST(threads_test, close_returns_after_the_function_has_run)
{
    int value = 0;
    void* thread = zmq_threadstart([](void* arg) { *static_cast<int*>(arg) = 42; }, &value);
    ASSERT_NE(thread, nullptr);
    zmq_threadclose(thread);
    EXPECT_EQ(value, 42);
}

TEST(threads_test, function_runs_on_another_thread)
{
    auto id = std::this_thread::get_id();
    void* thread =
        zmq_threadstart([](void* arg) { *static_cast<std::thread::id*>(arg) = std::this_thread::get_id(); }, &id);
    ASSERT_NE(thread, nullptr);
    zmq_threadclose(thread);
    EXPECT_NE(id, std::this_thread::get_id());
}

TEST(threads_test, signals_stay_with_the_program)
{
    int blocked_inside = -1;
    void* thread = zmq_threadstart(
        [](void* arg) {
            sigset_t mask;
            pthread_sigmask(SIG_SETMASK, nullptr, &mask);
            *static_cast<int*>(arg) = sigismember(&mask, SIGTERM);
        },
        &blocked_inside);
    ASSERT_NE(thread, nullptr);
    zmq_threadclose(thread);
    EXPECT_EQ(blocked_inside, 1);

    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    EXPECT_EQ(sigismember(&mask, SIGTERM), 0);
}

TEST(threads_test, null_is_refused)
{
    errno = 0;
    EXPECT_EQ(zmq_threadstart(nullptr, nullptr), nullptr);
    EXPECT_EQ(errno, EFAULT);
    zmq_threadclose(nullptr);
}

TEST(stopwatch_test, counts_microseconds_up)
{
    const auto before = std::chrono::steady_clock::now();
    void* watch = zmq_stopwatch_start();
    ASSERT_NE(watch, nullptr);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // to be measured
    const unsigned long first = zmq_stopwatch_intermediate(watch);
    const unsigned long second = zmq_stopwatch_intermediate(watch);
    const unsigned long last = zmq_stopwatch_stop(watch);
    const auto around = std::chrono::steady_clock::now() - before;

    EXPECT_GE(first, 2000U);
    EXPECT_GE(second, first);
    EXPECT_GE(last, second);
    EXPECT_LE(std::chrono::microseconds(last), around);
}

TEST(stopwatch_test, null_is_harmless)
{
    errno = 0;
    EXPECT_EQ(zmq_stopwatch_intermediate(nullptr), 0U);
    EXPECT_EQ(errno, EFAULT);
    EXPECT_EQ(zmq_stopwatch_stop(nullptr), 0U);
}

TEST(sleep_test, lasts_the_seconds_asked_for)
{
    void* watch = zmq_stopwatch_start();
    ASSERT_NE(watch, nullptr);
    zmq_sleep(1);
    EXPECT_GE(zmq_stopwatch_stop(watch), 1000000U);
}

TEST(sleep_test, nothing_to_wait_for_returns_at_once)
{
    zmq_sleep(0);
    zmq_sleep(-1);
}

}  // namespace
