// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Failures in words: what a thread's last failed call has told, and the last 16 failures of connections.
#include "base/last_error.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace zlink {
namespace {

/// The failures of connections from `position` on.
std::vector<std::string> read_from(std::uint64_t& position)
{
    std::vector<std::string> all;
    char text[1024];
    while (next_failure_of_connection(position, text, sizeof text) != 0) all.emplace_back(text);
    return all;
}

TEST(last_error_test, a_call_that_failed_keeps_what_it_told)
{
    forget_words();
    tell_failure("the key is too short");
    EXPECT_TRUE(has_words());
    note_failure(EINVAL);
    EXPECT_EQ(EINVAL, last_call_that_failed().error);
    EXPECT_STREQ("the key is too short", last_call_that_failed().words);
}

TEST(last_error_test, the_next_failure_without_words_has_none)
{
    tell_failure("of the call before");
    note_failure(EINVAL);
    note_failure(EAGAIN);
    EXPECT_EQ(EAGAIN, last_call_that_failed().error);
    EXPECT_EQ(nullptr, last_call_that_failed().words);
}

TEST(last_error_test, what_a_call_tells_that_has_not_failed_yet_is_not_taken_for_the_failure_before)
{
    tell_failure("first");
    note_failure(EINVAL);
    tell_failure("second");
    EXPECT_EQ(nullptr, last_call_that_failed().words);
}

TEST(last_error_test, words_are_cut_to_what_is_kept_of_them)
{
    tell_failure(std::string(5000, 'x'));
    note_failure(EINVAL);
    EXPECT_EQ(std::string(1023, 'x'), last_call_that_failed().words);
}

TEST(last_error_test, each_thread_has_its_own)
{
    tell_failure("here");
    note_failure(EINVAL);
    std::thread([] {
        EXPECT_EQ(0, last_call_that_failed().error);
        EXPECT_FALSE(has_words());
        tell_failure("there");
        note_failure(ENODEV);
    }).join();
    EXPECT_STREQ("here", last_call_that_failed().words);
}

TEST(connection_errors_test, each_reader_reads_each_text_once)
{
    std::uint64_t first = 0, second = 0;
    (void)read_from(first);
    (void)read_from(second);
    tell_failure_of_connection("one");
    EXPECT_EQ(std::vector<std::string>{"one"}, read_from(first));
    tell_failure_of_connection("two");
    EXPECT_EQ(std::vector<std::string>{"two"}, read_from(first));
    EXPECT_EQ((std::vector<std::string>{"one", "two"}), read_from(second));
    EXPECT_TRUE(read_from(second).empty());
}

TEST(connection_errors_test, sixteen_are_kept)
{
    std::uint64_t position = 0;
    (void)read_from(position);
    for (int i = 0; i < 40; ++i) tell_failure_of_connection(std::to_string(i));
    const std::vector<std::string> found = read_from(position);
    ASSERT_EQ(16u, found.size());
    EXPECT_EQ("24", found.front());
    EXPECT_EQ("39", found.back());
}

TEST(connection_errors_test, a_text_is_cut_to_the_readers_room)
{
    std::uint64_t position = 0;
    (void)read_from(position);
    tell_failure_of_connection("abcdef");
    std::uint64_t measured = position;
    EXPECT_EQ(6u, next_failure_of_connection(measured, nullptr, 0));
    char text[4] = "???";
    EXPECT_EQ(6u, next_failure_of_connection(position, text, sizeof text));
    EXPECT_STREQ("abc", text);
}

TEST(connection_errors_test, a_position_from_elsewhere_finds_nothing)
{
    std::uint64_t position = ~std::uint64_t(0);
    EXPECT_TRUE(read_from(position).empty());
    EXPECT_EQ(~std::uint64_t(0), position);
}

TEST(connection_errors_test, can_be_read_in_a_child_of_fork)
{
    std::uint64_t position = 0;
    (void)read_from(position);
    tell_failure_of_connection("of the parent");
    const pid_t child = ::fork();
    if (child == 0) ::_exit(read_from(position) == std::vector<std::string>{"of the parent"} ? 0 : 1);
    int status = -1;
    ASSERT_EQ(child, ::waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
}

}  // namespace
}  // namespace zlink
