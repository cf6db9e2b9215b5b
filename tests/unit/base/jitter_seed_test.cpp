// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Seeds of jitter differ from call to call, and between a process and its children.
#include "base/jitter_seed.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <set>

namespace zlink {
namespace {

TEST(jitter_seed_test, differs_from_call_to_call)
{
    std::set<std::uint32_t> seeds;
    constexpr int calls = 1000;
    for (int i = 0; i < calls; ++i) seeds.insert(jitter_seed());
    EXPECT_LE(calls - 2u, seeds.size()) << "two of a thousand are the same once in 8,600 runs";
}

// The next seed of a child that is forked now.
std::uint32_t seed_of_child()
{
    std::array<int, 2> ends{};
    EXPECT_EQ(0, ::pipe(ends.data()));
    const pid_t child = ::fork();
    if (child == 0) {
        const std::uint32_t seed = jitter_seed();
        ::_exit(::write(ends[1], &seed, sizeof seed) == sizeof seed ? 0 : 1);
    }
    std::uint32_t seed = 0;
    EXPECT_EQ(ssize_t(sizeof seed), ::read(ends[0], &seed, sizeof seed));
    int status = 0;
    EXPECT_EQ(child, ::waitpid(child, &status, 0));
    for (const int end : ends) ::close(end);
    return seed;
}

TEST(jitter_seed_test, differs_between_forked_processes)
{
    const std::uint32_t first = seed_of_child();
    const std::uint32_t second = seed_of_child();
    const std::uint32_t mine = jitter_seed();
    EXPECT_NE(first, second);
    EXPECT_NE(first, mine);
    EXPECT_NE(second, mine);
}

}  // namespace
}  // namespace zlink
