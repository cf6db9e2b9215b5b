// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The two halves of a store-load barrier. Neither side may miss the other's store, whatever the mode. Also what happens
// when the kernel stops giving barriers.
#include "base/asymmetric_fence.hpp"

#include "support/refused_call.hpp"

#include <gtest/gtest.h>

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

namespace zlink::asymmetric_fence {
namespace {

#ifdef ZLINK_TSAN
constexpr int rounds = 20'000;
#else
constexpr int rounds = 50'000;
#endif

// Both threads store to their own variable and look at the other's, and start each round together. They do so `rounds`
// times, or as often as a machine that does other work as well lets them in some seconds. At least one of them has to
// see the other's store. Returns how often neither did.
int count_missed(const std::function<void()>& first_fence, const std::function<void()>& second_fence)
{
    struct alignas(128) cell {
        std::atomic<int> value{0};
    };
    std::vector<cell> first(rounds), second(rounds);
    std::vector<int> first_saw(rounds), second_saw(rounds);
    std::atomic<int> at[2] = {-1, -1};
    std::atomic<int> until{rounds};
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    const auto run = [&](int self, std::vector<cell>& own, std::vector<cell>& others, std::vector<int>& saw,
                         const std::function<void()>& fence) {
        for (int i = 0; i < until.load(std::memory_order_relaxed); ++i) {
            // The other one is at the next round at most.
            if (self == 0 && until == rounds && std::chrono::steady_clock::now() > end) until = std::min(rounds, i + 2);
            at[self].store(i, std::memory_order_relaxed);
            for (int spins = 0; at[1 - self].load(std::memory_order_relaxed) < i; ++spins) {
                if (spins > 100) std::this_thread::yield();
            }
            own[std::size_t(i)].value.store(1, std::memory_order_relaxed);
            fence();
            saw[std::size_t(i)] = others[std::size_t(i)].value.load(std::memory_order_relaxed);
        }
    };
    {
        const std::jthread other([&] { run(1, second, first, second_saw, second_fence); });
        run(0, first, second, first_saw, first_fence);
    }
    int missed = 0;
    for (std::size_t i = 0; i < std::size_t(until); ++i) missed += first_saw[i] == 0 && second_saw[i] == 0;
    return missed;
}

TEST(asymmetric_fence_test, light_and_heavy_together_are_a_barrier_stress)
{
    initialise(false);
    int not_given = 0;
    EXPECT_EQ(0, count_missed([] { light_fence(); }, [&] { not_given += !heavy_fence(); }));
    EXPECT_EQ(0, not_given);
}

TEST(asymmetric_fence_test, full_fences_are_a_barrier_stress)
{
    EXPECT_EQ(0, count_missed([] { full_fence(); }, [] { full_fence(); }));
}

TEST(asymmetric_fence_test, a_full_fence_also_goes_with_a_heavy_one_stress)
{
    initialise(false);
    EXPECT_EQ(0, count_missed([] { full_fence(); }, [] { (void)heavy_fence(); }));
}

TEST(asymmetric_fence_test, the_first_initialisation_counts)
{
    initialise(false);
    const bool fenced = detail::fenced.load();
    initialise(true);
    EXPECT_EQ(fenced, detail::fenced.load());
    EXPECT_TRUE(heavy_fence());
    EXPECT_EQ(fenced, detail::fenced.load());
}

TEST(asymmetric_fence_test, falls_back_to_fences_when_the_kernel_starts_to_refuse)
{
    initialise(false);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const bool was_fenced = detail::fenced.load();
        if (!test::refuse_system_call(SYS_membarrier, EPERM)) ::_exit(0);  // without seccomp it never refuses later
        if (heavy_fence() != was_fenced) ::_exit(1);                       // says that this one could not be given
        if (!detail::fenced.load()) ::_exit(2);
        if (!heavy_fence()) ::_exit(3);
        light_fence();
        ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(child, ::waitpid(child, &status, 0));
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(0, WEXITSTATUS(status));
}

}  // namespace
}  // namespace zlink::asymmetric_fence
