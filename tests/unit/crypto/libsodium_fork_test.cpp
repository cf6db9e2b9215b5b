// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A child of fork does not wait for libsodium's lock, which a thread of its parent may have held. Here its handler of
// misuse runs with that lock held.
#include "crypto/libsodium.hpp"

#include "crypto/box.hpp"
#include "crypto/keys.hpp"

#include "support/kernel_calls.hpp"
#include "support/sleeping_thread.hpp"

#include <gtest/gtest.h>
#include <sodium.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <thread>

namespace zlink::crypto {
namespace {

constexpr unsigned patience_s = 60;

/// Keys of a connection.
bool makes_keys()
{
    const key_pair ours = make_key_pair(system_random()), theirs = make_key_pair(system_random());
    const secret_key shared = agree(theirs.open, ours.secret.octets());
    const std::array<std::byte, 16> prefix{};
    return shared && make_box_key(shared.octets(), prefix) != nullptr;
}

[[noreturn]] void with_lock_held(void (*what)())
{
    ::alarm(patience_s);
    if (sodium_set_misuse_handler(what) != 0) ::_exit(2);
    sodium_misuse();
    ::_exit(3);
}

[[noreturn]] void end_with_keys()
{
    ::_exit(makes_keys() ? 0 : 1);
}

void fork_beside_a_thread_that_begins()
{
    std::atomic<pid_t> beginner{0};
    std::thread([&] {
        beginner = zlink::test::thread_id();
        (void)makes_keys();  // waits for the lock
    }).detach();
    while (beginner == 0 || !test::sleeps(beginner)) std::this_thread::yield();
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(patience_s);
        end_with_keys();
    }
    int status = -1;
    ::_exit(::waitpid(child, &status, 0) == child && status == 0 ? 0 : 1);
}

// sodium_init(3) says whether it was called before.
[[noreturn]] void start_twice_and_end()
{
    start_libsodium();
    start_libsodium();
    constexpr int started_before = 1;
    ::_exit(sodium_init() == started_before ? 0 : 1);
}

TEST(libsodium_fork_test, starting_it_has_libsodium_choose_its_code)
{
    // In a process of its own, in which nobody has begun.
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(start_twice_and_end(), testing::ExitedWithCode(0), "");
}

TEST(libsodium_fork_test, a_connections_keys_want_no_lock)
{
    EXPECT_TRUE(makes_keys());
    const pid_t child = ::fork();
    if (child == 0) with_lock_held(end_with_keys);
    int status = -1;
    ASSERT_EQ(child, ::waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
}

TEST(libsodium_fork_test, nor_do_those_of_a_child_whose_parent_was_about_to_make_its_first)
{
    // In a process of its own, in which nobody has begun.
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(with_lock_held(fork_beside_a_thread_that_begins), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace zlink::crypto
