// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The processor time of this process, and what asking for it costs. (The rule: unit/load/core_contention_test.cpp.)
#include "runtime/core_contention.hpp"

#include "load/limits.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace zlink::runtime {
namespace {

using namespace std::chrono_literals;

/// Computes until this thread has used so much of the processor, by a clock that is less exact.
void compute(std::chrono::microseconds time)
{
    const auto begin = thread_usage::now().time;
    while (thread_usage::now().time - begin < time) {
    }
}

TEST(core_contention_test, the_time_is_that_of_all_threads_of_the_process)
{
    core_contention contention;
    const auto before = contention.own_time(clock::now());
    compute(5ms);
    const auto after = contention.own_time(clock::now());
    EXPECT_LE(4ms, after - before);
    std::thread([] { compute(5ms); }).join();
    EXPECT_LE(4ms, contention.own_time(clock::now()) - after);
}

TEST(core_contention_test, no_thread_yields_under_suspicion_if_it_is_expensive_to_ask)
{
    namespace limit = load::limits::core_contention;
    core_contention contention;
    const auto is_contended = [&contention] {
        const auto now = clock::now();
        contention.suspect(now);
        return contention.contended(now);
    };
    EXPECT_FALSE(is_contended());
    // Each question seems to have begun long ago.
    for (int i = 1; i < limit::many_costly; ++i) (void)contention.own_time(clock::now() - 2 * limit::costly);
    EXPECT_FALSE(is_contended());
    (void)contention.own_time(clock::now() - 2 * limit::costly);
    EXPECT_TRUE(is_contended());
}

TEST(core_contention_test, there_is_one_for_the_process)
{
    core_contention* other = nullptr;
    std::thread([&other] { other = &core_contention::of_process(); }).join();
    EXPECT_EQ(&core_contention::of_process(), other);
}

}  // namespace
}  // namespace zlink::runtime
