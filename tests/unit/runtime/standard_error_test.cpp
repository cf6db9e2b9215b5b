// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/standard_error.hpp"

#include "base/unique_fd.hpp"

#include <gtest/gtest.h>

#include <string>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace zlink::runtime {

namespace {

struct pipe_ends {
    unique_fd in, out;
};

pipe_ends make_pipe()
{
    int ends[2];
    EXPECT_EQ(0, ::pipe(ends));
    return {unique_fd(ends[0]), unique_fd(ends[1])};
}

/// The status of a child whose standard error is `to`, and that tells a line.
int status_of_child(int to)
{
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(to, STDERR_FILENO);
        tell_standard_error("a line\n");
        ::_exit(7);
    }
    int status = 0;
    EXPECT_EQ(child, ::waitpid(child, &status, 0));
    return status;
}

TEST(standard_error_test, a_line_is_told)
{
    auto [in, out] = make_pipe();
    EXPECT_EQ(7, WEXITSTATUS(status_of_child(out.get())));
    char octets[100];
    const auto size = ::read(in.get(), octets, sizeof octets);
    EXPECT_EQ("a line\n", std::string(octets, std::size_t(size)));
}

TEST(standard_error_test, a_pipe_without_a_reader_does_no_harm)
{
    auto [in, out] = make_pipe();
    in.reset();
    EXPECT_EQ(7, WEXITSTATUS(status_of_child(out.get())));
}

TEST(standard_error_test, a_full_pipe_does_not_block)
{
    auto [in, out] = make_pipe();
    ASSERT_EQ(0, ::fcntl(out.get(), F_SETFL, O_NONBLOCK));
    const std::string much(4096, 'x');
    while (::write(out.get(), much.data(), much.size()) > 0) {
    }
    ASSERT_EQ(0, ::fcntl(out.get(), F_SETFL, 0));
    EXPECT_EQ(7, WEXITSTATUS(status_of_child(out.get())));
}

}  // namespace

}  // namespace zlink::runtime
