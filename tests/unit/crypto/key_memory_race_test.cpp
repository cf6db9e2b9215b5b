// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The arena of keys, which two threads ask for first: one has it, and for the other the system has no addresses left.
#include "crypto/key_memory.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>

namespace {

constinit thread_local bool has_no_addresses = false;
constinit std::atomic<bool> asks{false}, may_fail{false};

}  // namespace

// In place of the C library's.
extern "C" void* mmap(void* at, std::size_t size, int protection, int flags, int file, off_t offset) noexcept
{
    if (has_no_addresses && size > 8 * 1024 * 1024) {
        asks = true;
        while (!may_fail) std::this_thread::yield();
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return reinterpret_cast<void*>(::syscall(SYS_mmap, at, size, protection, flags, file, offset));
}

namespace zlink::crypto {
namespace {

int race()
{
    std::byte* of_other = nullptr;
    std::thread other([&] {
        has_no_addresses = true;
        of_other = take_key_memory();
        has_no_addresses = false;
    });
    while (!asks) std::this_thread::yield();
    std::byte* const mine = take_key_memory();
    const bool before = lies_in_key_arena(mine);
    may_fail = true;
    other.join();
    const bool after = lies_in_key_arena(mine) && lies_in_key_arena(of_other);
    if (before && after) {
        give_key_memory_back(mine);
        give_key_memory_back(of_other);
    }
    return (before ? 0 : 1) + (after ? 0 : 2);
}

TEST(key_memory_race_test, keys_of_the_arena_stay_keys_of_the_arena_when_another_thread_gets_none)
{
    // In a process of its own, in which nobody has asked yet.
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(std::_Exit(race()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace zlink::crypto
