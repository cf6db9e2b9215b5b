// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/closed_by_fork.hpp"

#include "base/unique_fd.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace zlink::runtime {

namespace {

bool is_open(int fd)
{
    return ::fcntl(fd, F_GETFD) >= 0;
}

bool is_open_in_child(int fd)
{
    const pid_t child = ::fork();
    if (child == 0) ::_exit(is_open(fd) ? 1 : 0);
    int status = 0;
    EXPECT_EQ(child, ::waitpid(child, &status, 0));
    return WEXITSTATUS(status) == 1;
}

TEST(closed_by_fork_test, a_child_has_what_was_kept_closed_and_the_parent_does_not)
{
    const unique_fd kept(::open("/dev/null", O_RDONLY));
    ASSERT_TRUE(closed_by_fork::keep(kept.get()));
    EXPECT_FALSE(is_open_in_child(kept.get()));
    EXPECT_TRUE(is_open(kept.get()));
    closed_by_fork::forget(kept.get());
    EXPECT_TRUE(is_open_in_child(kept.get()));
}

TEST(closed_by_fork_test, there_is_room_for_so_many)
{
    constexpr int first = 100'000;  // no descriptor has such a number
    for (std::size_t i = 0; i < closed_by_fork::most; ++i) EXPECT_TRUE(closed_by_fork::keep(first + int(i)));
    EXPECT_FALSE(closed_by_fork::keep(first - 1));
    for (std::size_t i = 0; i < closed_by_fork::most; ++i) closed_by_fork::forget(first + int(i));
    EXPECT_TRUE(closed_by_fork::keep(first));
    closed_by_fork::forget(first);
}

}  // namespace

}  // namespace zlink::runtime
