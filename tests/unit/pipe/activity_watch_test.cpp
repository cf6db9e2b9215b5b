// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether an application that leaves something for later comes back, and that nothing is left behind when it does not.
#include "pipe/activity_watch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>

namespace zlink::pipe::test {
namespace {

using namespace std::chrono_literals;

TEST(activity_watch_test, asks_to_be_watched_once)
{
    activity_watch a;
    EXPECT_FALSE(a.watched());
    EXPECT_TRUE(a.note());
    EXPECT_TRUE(a.watched());
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(a.note());
}

TEST(activity_watch_test, sees_who_was_here_since_the_last_look)
{
    activity_watch a;
    EXPECT_TRUE(a.note());
    a.begin();
    EXPECT_FALSE(a.back()) << "only what comes after begin() counts";
    EXPECT_FALSE(a.note());
    EXPECT_TRUE(a.back());
    EXPECT_FALSE(a.back());
    EXPECT_FALSE(a.note());
    EXPECT_FALSE(a.note());
    EXPECT_TRUE(a.back());
    EXPECT_FALSE(a.back());
}

TEST(activity_watch_test, asks_again_after_watching_ended)
{
    activity_watch a;
    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(a.note());
        a.begin();
        a.end();
        EXPECT_FALSE(a.watched());
        EXPECT_FALSE(a.resumed()) << "nobody came meanwhile";
        EXPECT_FALSE(a.watched());
    }
}

// It saw that it was watched, and does not tell.
TEST(activity_watch_test, goes_on_for_who_came_before_watching_ended)
{
    activity_watch a;
    EXPECT_TRUE(a.note());
    a.begin();
    EXPECT_FALSE(a.note());
    a.end();
    EXPECT_TRUE(a.resumed());
    EXPECT_TRUE(a.watched());
    EXPECT_FALSE(a.note());
}

TEST(activity_watch_test, leaves_it_to_who_came_after_watching_ended)
{
    activity_watch a;
    EXPECT_TRUE(a.note());
    a.begin();
    a.end();
    EXPECT_TRUE(a.note());
    EXPECT_FALSE(a.resumed()) << "it has told";
    EXPECT_TRUE(a.watched());
}

TEST(activity_watch_test, counts_the_watched_from_wherever_the_last_watching_left_them)
{
    activity_watch a;
    EXPECT_TRUE(a.note());
    a.begin();
    EXPECT_FALSE(a.note());
    a.end();
    ASSERT_TRUE(a.resumed());
    a.begin();
    EXPECT_FALSE(a.back());
    EXPECT_FALSE(a.note());
    EXPECT_TRUE(a.back());
}

// An application that leaves something again and again, at times just as the I/O thread stops watching. Each time it is
// taken, though the application waits for that and does nothing else.
TEST(activity_watch_test, leaves_nothing_behind_for_ever_stress)
{
    activity_watch a;
    std::atomic<std::uint64_t> left{0};  // by the application
    std::atomic<std::uint64_t> taken{0};
    std::atomic<bool> told{false};
    std::atomic<bool> stop{false};
    std::uint64_t ended = 0, resumed = 0;
    std::thread io([&] {
        std::minstd_rand random(1);
        const auto take = [&] { taken.store(left.load(std::memory_order_acquire), std::memory_order_release); };
        while (!stop.load(std::memory_order_relaxed)) {
            if (!told.exchange(false, std::memory_order_acq_rel)) {
                std::this_thread::yield();
                continue;
            }
            for (bool watching = true; watching;) {
                a.begin();
                do {
                    for (unsigned pause = unsigned(random() % 64); pause != 0; --pause) {
                        std::atomic_signal_fence(std::memory_order_seq_cst);
                    }
                } while (a.back());
                a.end();
                take();
                ++ended;
                watching = a.resumed();
                resumed += watching;
            }
        }
    });
    const auto end = std::chrono::steady_clock::now() + 2000ms;
    std::minstd_rand random(2);
    bool lost = false;
    std::uint64_t n = 0;
    while (!lost && std::chrono::steady_clock::now() < end) {
        left.store(++n, std::memory_order_release);
        if (a.note()) told.store(true, std::memory_order_release);
        for (unsigned pause = unsigned(random() % 64); pause != 0; --pause) {
            std::atomic_signal_fence(std::memory_order_seq_cst);
        }
        if (random() % 4 != 0) continue;
        const auto patience = std::chrono::steady_clock::now() + 20s;
        while (!lost && taken.load(std::memory_order_acquire) != n) {
            std::this_thread::yield();
            lost = std::chrono::steady_clock::now() > patience;
        }
    }
    stop = true;
    io.join();
    EXPECT_FALSE(lost) << "number " << n << " after " << ended << " ends, " << resumed << " of them resumed";
    EXPECT_GT(ended, 0u);
}

}  // namespace
}  // namespace zlink::pipe::test
