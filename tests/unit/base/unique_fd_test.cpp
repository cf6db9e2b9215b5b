// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sole ownership of a descriptor: closed once, by the last owner, and errno survives it.
#include "base/unique_fd.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>

#include <cerrno>
#include <type_traits>
#include <utility>

namespace zlink {
namespace {

int any_descriptor()
{
    const int fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    EXPECT_GE(fd, 0);
    return fd;
}

bool is_open(int fd)
{
    return ::fcntl(fd, F_GETFD) >= 0;
}

TEST(unique_fd_test, owns_nothing_at_first)
{
    const unique_fd none;
    EXPECT_FALSE(none);
    EXPECT_EQ(-1, none.get());
}

TEST(unique_fd_test, closes_at_its_end)
{
    const int fd = any_descriptor();
    {
        const unique_fd owner(fd);
        EXPECT_TRUE(owner);
        EXPECT_EQ(fd, owner.get());
        EXPECT_TRUE(is_open(fd));
    }
    EXPECT_FALSE(is_open(fd));
}

TEST(unique_fd_test, zero_is_a_descriptor)
{
    unique_fd owner(0);
    EXPECT_TRUE(owner);
    EXPECT_EQ(0, owner.release());
}

TEST(unique_fd_test, gives_its_descriptor_away)
{
    const int fd = any_descriptor();
    {
        unique_fd owner(fd);
        EXPECT_EQ(fd, owner.release());
        EXPECT_FALSE(owner);
        EXPECT_EQ(-1, owner.release());
    }
    EXPECT_TRUE(is_open(fd));
    EXPECT_EQ(0, ::close(fd));
}

TEST(unique_fd_test, moves)
{
    const int first = any_descriptor(), second = any_descriptor();
    unique_fd a(first), b(second);
    unique_fd c(std::move(a));
    EXPECT_EQ(first, c.get());
    EXPECT_FALSE(a);
    b = std::move(c);
    EXPECT_EQ(first, b.get());
    EXPECT_FALSE(c);
    EXPECT_FALSE(is_open(second));
    EXPECT_TRUE(is_open(first));
    unique_fd& itself = b;
    b = std::move(itself);
    EXPECT_EQ(first, b.get());
    EXPECT_TRUE(is_open(first));
    static_assert(!std::is_copy_constructible_v<unique_fd> && !std::is_copy_assignable_v<unique_fd>);
    static_assert(std::is_nothrow_move_constructible_v<unique_fd> && std::is_nothrow_move_assignable_v<unique_fd>);
}

TEST(unique_fd_test, takes_another)
{
    const int first = any_descriptor(), second = any_descriptor();
    unique_fd owner(first);
    owner.reset(second);
    EXPECT_FALSE(is_open(first));
    EXPECT_EQ(second, owner.get());
    owner.reset();
    EXPECT_FALSE(is_open(second));
    EXPECT_FALSE(owner);
}

TEST(unique_fd_test, leaves_errno_alone)
{
    const int fd = any_descriptor();
    unique_fd owner(fd);
    EXPECT_EQ(0, ::close(fd));
    errno = ENOENT;
    owner.reset();  // close() fails with EBADF
    EXPECT_EQ(ENOENT, errno);
}

}  // namespace
}  // namespace zlink
