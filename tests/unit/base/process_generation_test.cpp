// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Forks count up in the child and leave the parent alone.
#include "base/process_generation.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace zlink {
namespace {

// What `body` answers in a child of this process: 0 to 255, or -1.
int in_child(const std::function<int()>& body)
{
    const pid_t child = ::fork();
    if (child == 0) ::_exit(body());
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
}

TEST(process_generation_test, counts_up_in_the_child)
{
    watch_forks();
    const std::uint64_t here = process_generation();
    EXPECT_EQ(1, in_child([here] { return int(process_generation() - here); }));
    EXPECT_EQ(here, process_generation());
}

TEST(process_generation_test, counts_once_however_often_it_was_asked_for)
{
    watch_forks();
    watch_forks();
    const std::uint64_t here = process_generation();
    EXPECT_EQ(1, in_child([here] { return int(process_generation() - here); }));
}

TEST(process_generation_test, tells_grandchildren_and_siblings_from_this_process)
{
    watch_forks();
    const std::uint64_t here = process_generation();
    EXPECT_EQ(2, in_child([here] { return in_child([here] { return int(process_generation() - here); }); }));
    EXPECT_EQ(1, in_child([here] { return int(process_generation() - here); }));
}

}  // namespace
}  // namespace zlink
