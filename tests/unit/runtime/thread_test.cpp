// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Threads of the library's making, what they have run, and what the clock says.
#include "runtime/thread.hpp"

#include "runtime/clock.hpp"
#include "runtime/pause.hpp"

#include <gtest/gtest.h>

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>

namespace zlink::runtime {
namespace {

using namespace std::chrono_literals;

TEST(thread_test, runs_its_body_until_it_is_joined)
{
    thread t;
    EXPECT_FALSE(t.joinable());
    int ran = 0;
    ASSERT_TRUE(t.start([&] { ++ran; }));
    EXPECT_TRUE(t.joinable());
    t.join();
    EXPECT_FALSE(t.joinable());
    EXPECT_EQ(1, ran);
}

TEST(thread_test, handles_no_signals)
{
    sigset_t before, after, inside;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
    thread t;
    ASSERT_TRUE(t.start([&] { ::pthread_sigmask(SIG_SETMASK, nullptr, &inside); }));
    ::pthread_sigmask(SIG_SETMASK, nullptr, &after);
    t.join();
    for (const int number : {SIGINT, SIGTERM, SIGUSR1, SIGCHLD}) {
        EXPECT_EQ(1, ::sigismember(&inside, number));
        EXPECT_EQ(::sigismember(&before, number), ::sigismember(&after, number));
    }
}

// Others tell no thread's size, or let no default be set.
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 18)
std::size_t stack_of_a_thread()
{
    std::size_t size = 0;
    thread t;
    const auto look = [&] {
        pthread_attr_t attributes;
        if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return;
        ::pthread_attr_getstacksize(&attributes, &size);
        ::pthread_attr_destroy(&attributes);
    };
    if (!t.start(look)) return 0;
    t.join();
    return size;
}

TEST(thread_test, has_a_megabyte_of_stack_where_threads_have_less)
{
    pthread_attr_t before, small;
    ASSERT_EQ(0, ::pthread_getattr_default_np(&before));
    ASSERT_EQ(0, ::pthread_attr_init(&small));
    ASSERT_EQ(0, ::pthread_attr_setstacksize(&small, 128 * 1024));
    ASSERT_EQ(0, ::pthread_setattr_default_np(&small));
    const std::size_t of_small = stack_of_a_thread();
    ASSERT_EQ(0, ::pthread_attr_setstacksize(&small, 4 * 1024 * 1024));
    ASSERT_EQ(0, ::pthread_setattr_default_np(&small));
    const std::size_t of_large = stack_of_a_thread();
    EXPECT_EQ(0, ::pthread_setattr_default_np(&before));
    ::pthread_attr_destroy(&small);
    ::pthread_attr_destroy(&before);
    EXPECT_GE(of_small, 1024U * 1024) << "the system's 128 KB are too little";
    EXPECT_LT(of_small, 2U * 1024 * 1024);
    EXPECT_GE(of_large, 4U * 1024 * 1024) << "what the system gives is more";
}
#endif

TEST(thread_test, may_join_itself_and_goes_on_alone)
{
    static std::atomic<bool> joined;  // outlives the test, as the thread may
    joined = false;
    std::atomic<bool> may_join{false};
    thread t;
    ASSERT_TRUE(t.start([&] {
        while (!may_join) yield();
        t.join();
        joined = true;
        joined.notify_one();
    }));
    may_join = true;
    joined.wait(false);
    EXPECT_FALSE(t.joinable());
}

TEST(clock_test, goes_on)
{
    const auto start = clock::now();
    const auto coarse_start = clock::coarse();
    while (clock::coarse() == coarse_start) yield();
    EXPECT_GT(clock::now(), start);
    EXPECT_GT(clock::coarse(), coarse_start);
    // Both have the same beginning.
    EXPECT_LT(std::chrono::abs(clock::now().time_since_epoch() - clock::coarse()), 10s);
}

TEST(clock_test, tells_how_much_a_thread_has_run)
{
    thread_clock mine;
    EXPECT_EQ(0ns, mine.time());
    mine.begin();
    const auto process_before = clock::process_time();
    const auto before = mine.time();
    while (mine.time() - before < 1ms) {
    }
    EXPECT_GE(clock::process_time() - process_before, 1ms);
}

TEST(clock_test, tells_whether_the_caller_is_its_thread)
{
    thread_clock mine;
    const auto asked_elsewhere = [&] {
        bool is = false;
        std::thread([&] { is = mine.is_callers_or_nobodys(); }).join();
        return is;
    };
    EXPECT_TRUE(asked_elsewhere()) << "it is nobody's yet";
    mine.begin();
    EXPECT_TRUE(mine.is_callers_or_nobodys());
    EXPECT_FALSE(asked_elsewhere());
    mine.end();
    EXPECT_TRUE(asked_elsewhere());
    EXPECT_EQ(0ns, mine.time());
}

}  // namespace
}  // namespace zlink::runtime
