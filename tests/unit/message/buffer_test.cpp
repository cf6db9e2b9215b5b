// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Reference-counted memory: freed once, by the last holder.
#include "message/buffer.hpp"

#include "message/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

namespace zlink::message {
namespace {

struct freed {
    int times = 0;
    void* data = nullptr;
    std::thread::id by;

    static void note(void* data, void* hint)
    {
        auto* self = static_cast<freed*>(hint);
        ++self->times;
        self->data = data;
        self->by = std::this_thread::get_id();
    }
};

TEST(buffer_test, has_the_room_that_was_asked_for)
{
    for (const std::size_t size : {0, 1, 40, 41, 1000, 16'000, 16'384, 65'536, 100'000, 3'000'000}) {
        buffer* b = buffer::allocate(size);
        ASSERT_NE(nullptr, b);
        EXPECT_EQ(size, b->capacity());
        EXPECT_EQ(0u, reinterpret_cast<std::uintptr_t>(b->data()) % 8);
        std::memset(b->data(), 0x5a, size);
        EXPECT_TRUE(b->unique());
        b->release();
    }
}

TEST(buffer_test, one_that_was_shared_goes_with_its_last_reference_on_any_thread)
{
    for (const std::size_t size : {std::size_t{1}, most_kept_by_threads, most_kept_by_threads + 1, std::size_t{8192},
                                   std::size_t{16'000}, std::size_t{100'000}}) {
        buffer* b = buffer::allocate_shared(size);
        ASSERT_NE(nullptr, b);
        EXPECT_EQ(size, b->capacity());
        std::memset(b->data(), 0x5a, size);
        b->add_ref();
        b->release();
        EXPECT_TRUE(b->unique());
        std::jthread([b] { b->release(); });
        buffer* again = buffer::allocate_shared(size);
        ASSERT_NE(nullptr, again);
        std::memset(again->data(), 0x5a, size);
        again->release();
    }
}

TEST(buffer_test, one_that_was_shared_can_be_enlarged)
{
    buffer* b = buffer::allocate_shared(5000);
    ASSERT_NE(nullptr, b);
    std::memset(b->data(), 0x5a, 5000);
    buffer* larger = buffer::enlarge(b, 5000, 9000);
    ASSERT_NE(nullptr, larger);
    EXPECT_EQ(9000u, larger->capacity());
    EXPECT_EQ(std::byte{0x5a}, larger->data()[4999]);
    larger->release();
}

TEST(buffer_test, large_ones_begin_where_they_are_copied_fast)
{
    std::vector<buffer*> all;
    for (std::size_t size = placement::smallest; size < 400 * 1024; size += 1000) {
        all.push_back(buffer::allocate(size));
        ASSERT_NE(nullptr, all.back());
        EXPECT_EQ(size, all.back()->capacity());
        EXPECT_FALSE(placement::begins_badly(reinterpret_cast<std::uintptr_t>(all.back()->data()), size)) << size;
        std::memset(all.back()->data(), 0x5a, size);
    }
    for (buffer* b : all) b->release();
}

TEST(buffer_test, a_large_one_that_grows_keeps_its_octets)
{
    constexpr std::size_t size = 3'000'000;
    buffer* b = buffer::allocate(size);
    ASSERT_NE(nullptr, b);
    std::memset(b->data(), 0x5a, size);
    b = buffer::enlarge(b, size, 4 * size);
    ASSERT_NE(nullptr, b);
    EXPECT_EQ(4 * size, b->capacity());
    EXPECT_TRUE(std::all_of(b->data(), b->data() + size, [](std::byte octet) { return octet == std::byte{0x5a}; }));
    std::memset(b->data(), 0x5a, 4 * size);
    b->release();
}

TEST(buffer_test, refuses_sizes_that_no_memory_has)
{
    EXPECT_EQ(nullptr, buffer::allocate(std::numeric_limits<std::size_t>::max()));
    EXPECT_EQ(nullptr, buffer::allocate(std::numeric_limits<std::size_t>::max() - 8));
}

TEST(buffer_test, counts_its_holders)
{
    buffer* b = buffer::allocate(100);
    ASSERT_NE(nullptr, b);
    std::memcpy(b->data(), "content", 8);
    b->add_ref();
    EXPECT_FALSE(b->unique());
    b->add_ref(3);
    for (int i = 0; i < 4; ++i) {
        EXPECT_FALSE(b->unique());
        b->release();
    }
    EXPECT_TRUE(b->unique());
    EXPECT_EQ(0, std::memcmp("content", b->data(), 8));
    b->release();
}

TEST(buffer_test, gives_foreign_memory_back_once)
{
    std::array<char, 16> memory{};
    freed note;
    buffer* b = buffer::adopt(memory.data(), memory.size(), freed::note, &note);
    ASSERT_NE(nullptr, b);
    EXPECT_EQ(static_cast<void*>(memory.data()), b->data());
    EXPECT_EQ(16u, b->capacity());
    b->add_ref(2);
    b->release();
    b->release();
    EXPECT_EQ(0, note.times);
    b->release();
    EXPECT_EQ(1, note.times);
    EXPECT_EQ(memory.data(), note.data);
    EXPECT_EQ(std::this_thread::get_id(), note.by);
}

TEST(buffer_test, foreign_memory_of_no_size_is_given_back_too)
{
    freed note;
    buffer* b = buffer::adopt(nullptr, 0, freed::note, &note);
    ASSERT_NE(nullptr, b);
    b->release();
    EXPECT_EQ(1, note.times);
    EXPECT_EQ(nullptr, note.data);
}

TEST(buffer_test, constant_memory_needs_no_free_function)
{
    char memory[] = "constant";
    buffer* b = buffer::adopt(memory, sizeof memory, nullptr, nullptr);
    ASSERT_NE(nullptr, b);
    b->release();
    EXPECT_STREQ("constant", memory);
}

TEST(buffer_test, foreign_memory_is_freed_on_the_thread_that_drops_it_last)
{
    char memory[8];
    freed note;
    buffer* b = buffer::adopt(memory, sizeof memory, freed::note, &note);
    ASSERT_NE(nullptr, b);
    b->add_ref();
    b->release();
    std::thread last([b] { b->release(); });
    const std::thread::id id = last.get_id();
    last.join();
    EXPECT_EQ(1, note.times);
    EXPECT_EQ(id, note.by);
}

// It may call the library again: nothing is locked and the buffer itself is gone already.
TEST(buffer_test, a_free_function_may_use_buffers)
{
    constexpr std::size_t size = 64 * 1024;
    buffer* inner = buffer::allocate(size);
    ASSERT_NE(nullptr, inner);
    int calls = 0;
    struct context {
        buffer* inner;
        int& calls;
    } c{inner, calls};
    buffer* b = buffer::adopt(
        inner->data(), size,
        [](void*, void* hint) {
            auto* with = static_cast<context*>(hint);
            with->inner->release();
            buffer* another = buffer::allocate(size);
            ASSERT_NE(nullptr, another);
            another->release();
            ++with->calls;
        },
        &c);
    ASSERT_NE(nullptr, b);
    b->release();
    EXPECT_EQ(1, calls);
}

// What holders did before they let go is visible to the free function: plain writes, which ThreadSanitizer watches.
TEST(buffer_test, the_last_of_many_threads_frees_once_stress)
{
    constexpr int holders = 4;
    for (int round = 0; round < 500; ++round) {
        std::array<int, holders> memory{};
        struct sum {
            int calls = 0;
            int total = 0;
        } result;
        buffer* b = buffer::adopt(
            memory.data(), sizeof memory,
            [](void* data, void* hint) {
                auto* to = static_cast<sum*>(hint);
                ++to->calls;
                for (int i = 0; i < holders; ++i) to->total += static_cast<int*>(data)[i];
            },
            &result);
        ASSERT_NE(nullptr, b);
        b->add_ref(holders - 1);
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < holders; ++i) {
                threads.emplace_back([b, i, &memory] {
                    b->add_ref();
                    memory[std::size_t(i)] = i + 1;
                    b->release();
                    b->release();
                });
            }
        }
        ASSERT_EQ(1, result.calls);
        ASSERT_EQ(1 + 2 + 3 + 4, result.total);
    }
}

// unique() is how chunks are used again: a thread that sees it sees all that earlier holders did.
TEST(buffer_test, a_sole_holder_may_write_what_others_read_stress)
{
    for (int round = 0; round < 500; ++round) {
        buffer* b = buffer::allocate(64);
        ASSERT_NE(nullptr, b);
        std::memset(b->data(), 1, 64);
        b->add_ref();
        std::jthread reader([b] {
            int total = 0;
            for (int i = 0; i < 64; ++i) total += int(b->data()[i]);
            EXPECT_EQ(64, total);
            b->release();
        });
        while (!b->unique()) std::this_thread::yield();
        std::memset(b->data(), 2, 64);
        b->release();
    }
}

}  // namespace
}  // namespace zlink::message
