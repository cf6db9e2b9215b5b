// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A call that an event loop runs: queued once however often it is asked for, and what was asked for last is done.
#include "runtime/task.hpp"

#include "base/asymmetric_fence.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace zlink::runtime {
namespace {

// Does what it was asked for last.
struct worker {
    void work() noexcept { done.store(asked.load(std::memory_order_relaxed), std::memory_order_release); }

    std::atomic<int> asked{0};
    std::atomic<int> done{0};
};

TEST(call_on_test, is_queued_once_until_it_runs)
{
    const auto target = std::make_shared<worker>();
    call_on<worker> call(&worker::work);
    EXPECT_TRUE(call.take_up(target));
    EXPECT_FALSE(call.take_up(target));
    target->asked = 1;
    call.run();
    EXPECT_EQ(1, target->done);
    EXPECT_TRUE(call.take_up(target));
    call.run();
    EXPECT_EQ(1, target.use_count()) << "it keeps its target no longer than until it has run";
}

TEST(call_on_test, does_what_was_asked_for_while_it_began_stress)
{
    // Or as many as a machine that does other work as well gets done in some seconds.
    constexpr int rounds = 400'000;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    const auto target = std::make_shared<worker>();
    call_on<worker> call(&worker::work);
    std::atomic<bool> queued{false};
    std::atomic<bool> over{false};
    std::thread loop([&] {
        for (int looks = 1; !over.load(std::memory_order_relaxed); ++looks) {
            if (queued.load(std::memory_order_acquire)) {
                queued.store(false, std::memory_order_relaxed);
                call.run();
            } else if (looks % 100 == 0) {
                std::this_thread::yield();
            }
        }
    });
    bool forgotten = false;
    for (int n = 2; n <= 2 * rounds && !forgotten && std::chrono::steady_clock::now() < end; n += 2) {
        // The second time it is queued already, or has just begun.
        for (const int asked : {n, n + 1}) {
            target->asked.store(asked, std::memory_order_relaxed);
            if (call.take_up(target)) queued.store(true, std::memory_order_release);
            for (int pause = n % 64; pause != 0; --pause) std::atomic_signal_fence(std::memory_order_seq_cst);
        }
        const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        for (int looks = 1; target->done.load(std::memory_order_acquire) < n + 1 && !forgotten; ++looks) {
            if (looks % 100 != 0) continue;
            std::this_thread::yield();
            forgotten = std::chrono::steady_clock::now() > patience;
        }
    }
    over = true;
    loop.join();
    EXPECT_FALSE(forgotten);
}

}  // namespace
}  // namespace zlink::runtime
