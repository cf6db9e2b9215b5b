// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/socket_memory.hpp"

#include "socket/handle_gate.hpp"
#include "socket/socket.hpp"

#include <gtest/gtest.h>

#include <set>

namespace zlink::socket {
namespace {

constexpr std::size_t size = sizeof(socket);  // other tests' sockets get it as well

/// As a socket that is shared, or not, and ends.
void* take_and_give(bool shared, bool from_the_start)
{
    void* const memory = socket_memory::take(size, shared && from_the_start);
    if (shared) handle_gate::of(memory).note_shared();
    socket_memory::give(memory);
    return memory;
}

TEST(socket_memory_test, is_used_again_by_the_same_kind)
{
    void* const plain = take_and_give(false, false);
    EXPECT_EQ(plain, take_and_give(false, false));
    std::set<void*> shared;
    for (std::uint32_t i = 0; i < 3 * socket_memory::most_kept_apart; ++i) shared.insert(take_and_give(true, true));
    EXPECT_LE(shared.size(), socket_memory::most_kept_apart + 1);
    EXPECT_FALSE(shared.contains(plain));
}

TEST(socket_memory_test, keeps_that_of_once_shared_sockets_apart)
{
    for (const bool from_the_start : {true, false}) {
        void* const old = take_and_give(true, from_the_start);
        void* const others[] = {socket_memory::take(size, false), socket_memory::take(size, false)};
        for (void* const each : others) EXPECT_NE(old, each);
        for (void* const each : others) socket_memory::give(each);
    }
}

TEST(socket_memory_test, does_not_grow_with_sockets_that_are_shared_later)
{
    std::set<void*> used;
    for (std::uint32_t i = 0; i < 3 * socket_memory::most_kept_apart; ++i) used.insert(take_and_give(true, false));
    EXPECT_LE(used.size(), socket_memory::most_kept_apart + 4);
}

}  // namespace
}  // namespace zlink::socket
