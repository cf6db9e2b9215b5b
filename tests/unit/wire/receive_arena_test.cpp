// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The memory that connections read into: room for octets and spans, which never meet, and chunks used again once nobody
// refers to them.
#include "wire/receive_arena.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <new>

namespace zlink::wire {
namespace {

std::byte* address(void* p)
{
    return static_cast<std::byte*>(p);
}

TEST(receive_arena_test, has_the_room_that_was_asked_for)
{
    for (const std::size_t size : {1, 100, 8192, 65'536, 65'537, 300'000}) {
        receive_arena arena;
        ASSERT_TRUE(arena.reserve(size));
        ASSERT_GE(arena.room(), size);
        std::memset(arena.at(), 0x11, size);
        // And for one span.
        void* place = arena.take_span(arena.at() + size);
        ASSERT_NE(nullptr, place);
        EXPECT_GE(address(place), arena.at() + size);
        EXPECT_EQ(0u, reinterpret_cast<std::uintptr_t>(place) % alignof(pipe::span));
        new (place) pipe::span;
        EXPECT_LE(address(place) + sizeof(pipe::span), arena.chunk()->data() + arena.chunk()->capacity());
    }
}

TEST(receive_arena_test, all_of_its_room_may_be_used)
{
    receive_arena arena;
    ASSERT_TRUE(arena.reserve(1000));
    std::byte* end = arena.at() + arena.room();
    std::memset(arena.at(), 0x22, arena.room());
    void* place = arena.take_span(end);
    ASSERT_NE(nullptr, place);
    new (place) pipe::span;
    EXPECT_EQ(std::byte{0x22}, end[-1]);
}

TEST(receive_arena_test, goes_on_behind_what_was_taken)
{
    receive_arena arena;
    ASSERT_TRUE(arena.reserve(1000));
    std::byte* first = arena.at();
    const std::size_t room = arena.room();
    arena.take(first + 600);
    EXPECT_EQ(first + 600, arena.at());
    EXPECT_EQ(room - 600, arena.room());
    ASSERT_TRUE(arena.reserve(1000));
    EXPECT_EQ(first + 600, arena.at());
}

TEST(receive_arena_test, spans_come_from_above_until_they_would_meet_the_octets)
{
    receive_arena arena;
    ASSERT_TRUE(arena.reserve(1000));
    std::byte* end = arena.at() + 1000;
    std::byte* last = arena.chunk()->data() + arena.chunk()->capacity();
    int spans = 0;
    while (void* place = arena.take_span(end)) {
        ASSERT_LE(address(place) + sizeof(pipe::span), last);
        ASSERT_GE(address(place), end);
        last = address(place);
        ++spans;
    }
    EXPECT_GT(spans, 100);
    EXPECT_LT(std::size_t(last - end), sizeof(pipe::span) + alignof(pipe::span));
    EXPECT_LT(arena.room(), 1000u);
}

TEST(receive_arena_test, uses_its_chunk_again_when_nobody_refers_to_it)
{
    receive_arena arena;
    ASSERT_TRUE(arena.reserve(1000));
    std::byte* first = arena.at();
    message::buffer* chunk = arena.chunk();
    arena.take(first + arena.room());
    ASSERT_TRUE(arena.reserve(1000));
    EXPECT_EQ(chunk, arena.chunk());
    EXPECT_EQ(first, arena.at());
}

TEST(receive_arena_test, leaves_a_chunk_to_those_that_refer_to_it)
{
    receive_arena arena;
    ASSERT_TRUE(arena.reserve(1000));
    message::buffer* held = arena.chunk();
    held->add_ref();
    std::byte* content = arena.at();
    std::memset(content, 0x33, 1000);
    arena.take(content + arena.room());
    ASSERT_TRUE(arena.reserve(1000));
    EXPECT_NE(held, arena.chunk());
    EXPECT_TRUE(held->unique());
    std::memset(arena.at(), 0x44, 1000);
    EXPECT_EQ(std::byte{0x33}, content[999]);
    held->release();
}

TEST(receive_arena_test, a_chunk_outlives_its_arena)
{
    message::buffer* held = nullptr;
    {
        receive_arena arena;
        ASSERT_TRUE(arena.reserve(1000));
        std::memset(arena.at(), 0x55, 1000);
        held = arena.chunk();
        held->add_ref();
    }
    EXPECT_TRUE(held->unique());
    EXPECT_EQ(std::byte{0x55}, held->data()[999]);
    held->release();
}

TEST(receive_arena_test, a_chunk_that_is_too_small_is_replaced)
{
    receive_arena arena;
    ASSERT_TRUE(arena.reserve(1000));
    ASSERT_TRUE(arena.reserve(1'000'000));
    EXPECT_GE(arena.room(), 1'000'000u);
    std::memset(arena.at(), 0x66, 1'000'000);
}

}  // namespace
}  // namespace zlink::wire
