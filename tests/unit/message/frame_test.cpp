// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Frames: where content lies, which frames share it, and that all of it is let go of once.
#include "message/frame.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace zlink::message {
namespace {

// Empty, inline, inline to the brim, and beyond.
constexpr std::size_t sizes[] = {0, 1, 39, 40, 41, 255, 256, 8192, 100'000};

std::string content_of(std::size_t size)
{
    std::string s(size, '\0');
    for (std::size_t i = 0; i < size; ++i) s[i] = char(i * 31 + size);
    return s;
}

std::string text(const frame& f)
{
    return {reinterpret_cast<const char*>(f.data()), f.size()};
}

frame copy_of(std::string_view content)
{
    frame f;
    EXPECT_TRUE(f.init_copy_of(content.data(), content.size()));
    return f;
}

int freed = 0;

void count_free(void*, void*)
{
    ++freed;
}

// A frame over memory whose freeing is counted.
frame foreign(std::string& memory)
{
    freed = 0;
    auto* data = reinterpret_cast<std::byte*>(memory.data());
    frame f;
    f.init_buffer(buffer::adopt(data, memory.size(), count_free, nullptr), data, memory.size());
    return f;
}

TEST(frame_test, starts_empty)
{
    frame f;
    f.init();
    EXPECT_TRUE(f.initialised());
    EXPECT_EQ(0u, f.size());
    EXPECT_FALSE(f.more());
    EXPECT_FALSE(f.shared());
    EXPECT_FALSE(f.is_constant());
    EXPECT_EQ(nullptr, f.shareable());
    EXPECT_EQ(nullptr, f.properties());
    EXPECT_EQ(0u, f.routing_id());
    f.close();
    EXPECT_FALSE(f.initialised());
}

TEST(frame_test, zeroed_memory_is_no_frame)
{
    alignas(frame) std::array<std::byte, sizeof(frame)> memory{};
    frame f;
    std::memcpy(&f, memory.data(), sizeof f);
    EXPECT_FALSE(f.initialised());
}

TEST(frame_test, holds_copies_of_any_size)
{
    for (const std::size_t size : sizes) {
        const std::string content = content_of(size);
        frame f = copy_of(content);
        EXPECT_EQ(size, f.size());
        EXPECT_EQ(content, text(f));
        EXPECT_EQ(size > frame::inline_capacity, f.shareable() != nullptr) << size;
        EXPECT_FALSE(f.shared());
        f.close();
    }
}

TEST(frame_test, has_room_for_the_size_that_was_asked_for)
{
    for (const std::size_t size : sizes) {
        frame f;
        ASSERT_TRUE(f.init_size(size));
        ASSERT_EQ(size, f.size());
        std::memset(f.data(), 7, size);
        f.close();
    }
}

TEST(frame_test, impossible_sizes_are_refused)
{
    frame f;
    EXPECT_FALSE(f.init_size(~std::size_t{0}));
}

TEST(frame_test, may_be_moved_by_memcpy)
{
    for (const std::size_t size : sizes) {
        frame before = copy_of(content_of(size));
        frame after;
        std::memcpy(&after, &before, sizeof after);
        std::memset(static_cast<void*>(&before), 0xdd, sizeof before);
        EXPECT_EQ(content_of(size), text(after));
        after.close();
    }
}

TEST(frame_test, points_into_a_part_of_a_buffer)
{
    buffer* b = buffer::allocate(1000);
    ASSERT_NE(nullptr, b);
    std::memcpy(b->data() + 500, "inside", 6);
    frame f;
    f.init_buffer(b, b->data() + 500, 6);
    EXPECT_EQ("inside", text(f));
    EXPECT_EQ(b, f.shareable());
    f.close();
}

TEST(frame_test, constant_data_is_referred_to_and_counts_as_shared)
{
    static const char data[] = "constant";
    frame f;
    f.init_constant(data, 8);
    EXPECT_EQ("constant", text(f));
    EXPECT_EQ(static_cast<const void*>(data), f.data());
    EXPECT_TRUE(f.is_constant());
    EXPECT_TRUE(f.shared());
    EXPECT_EQ(nullptr, f.shareable());
    frame second;
    second.init_copy(f);
    f.close();
    EXPECT_EQ(static_cast<const void*>(data), second.data());
    EXPECT_TRUE(second.shared());
    second.close();
}

TEST(frame_test, foreign_data_is_freed_by_the_last_copy)
{
    std::string memory(10, 'f');
    frame f = foreign(memory);
    EXPECT_EQ(static_cast<void*>(memory.data()), f.data());
    frame second, third;
    second.init_copy(f);
    third.init_copy(second);
    f.close();
    third.close();
    EXPECT_EQ(0, freed);
    EXPECT_EQ(std::string(10, 'f'), text(second));
    second.close();
    EXPECT_EQ(1, freed);
}

TEST(frame_test, copies_of_small_frames_are_independent)
{
    frame f = copy_of("small");
    frame second;
    second.init_copy(f);
    second.data()[0] = std::byte{'S'};
    EXPECT_EQ("small", text(f));
    EXPECT_EQ("Small", text(second));
    EXPECT_FALSE(f.shared());
    EXPECT_FALSE(second.shared());
    f.close();
    second.close();
}

TEST(frame_test, copies_of_large_frames_share_and_say_so)
{
    frame f = copy_of(content_of(1000));
    frame second;
    second.init_copy(f);
    EXPECT_EQ(f.data(), second.data());
    EXPECT_TRUE(f.shared());
    EXPECT_TRUE(second.shared());
    f.close();
    EXPECT_EQ(content_of(1000), text(second));
    second.close();
}

TEST(frame_test, copies_take_flags_and_routing_id_along)
{
    frame f = copy_of("x");
    f.set_more(true);
    f.set_routing_id(77);
    frame second;
    second.init_copy(f);
    EXPECT_TRUE(second.more());
    EXPECT_EQ(77u, second.routing_id());
    f.close();
    second.close();
}

TEST(frame_test, a_move_leaves_an_empty_frame)
{
    for (const std::size_t size : sizes) {
        frame f = copy_of(content_of(size));
        f.set_more(true);
        const std::byte* const data = f.data();
        frame second;
        second.init_move(f);
        EXPECT_TRUE(f.initialised());
        EXPECT_EQ(0u, f.size());
        EXPECT_FALSE(f.more());
        EXPECT_EQ(content_of(size), text(second));
        EXPECT_TRUE(second.more());
        if (size > frame::inline_capacity) {
            EXPECT_EQ(data, second.data());
        }
        f.close();
        second.close();
    }
}

TEST(frame_test, more_is_a_flag_of_its_own)
{
    frame f = copy_of(content_of(500));
    frame second;
    second.init_copy(f);
    f.set_more(true);
    EXPECT_TRUE(f.more());
    EXPECT_FALSE(second.more());
    f.set_more(false);
    EXPECT_FALSE(f.more());
    EXPECT_TRUE(f.shared());
    f.close();
    second.close();
}

TEST(frame_test, holds_properties_until_it_is_closed)
{
    metadata* m = metadata::create({{"Peer-Address", "there"}});
    ASSERT_NE(nullptr, m);
    frame f = copy_of("x");
    f.set_properties(m);
    m->release();
    ASSERT_EQ(m, f.properties());
    frame copy;
    copy.init_copy(f);
    f.close();
    ASSERT_NE(nullptr, copy.properties());
    EXPECT_STREQ("there", copy.properties()->find("Peer-Address"));
    frame moved;
    moved.init_move(copy);
    EXPECT_EQ(nullptr, copy.properties());
    EXPECT_STREQ("there", moved.properties()->find("Peer-Address"));
    copy.close();
    moved.close();
}

TEST(frame_test, properties_may_be_replaced)
{
    metadata* first = metadata::create({{"n", "1"}});
    metadata* second = metadata::create({{"n", "2"}});
    ASSERT_TRUE(first && second);
    frame f = copy_of("x");
    f.set_properties(first);
    first->release();
    f.set_properties(first);  // its own again
    EXPECT_STREQ("1", f.properties()->find("n"));
    f.set_properties(second);
    second->release();
    EXPECT_STREQ("2", f.properties()->find("n"));
    f.set_properties(nullptr);
    EXPECT_EQ(nullptr, f.properties());
    f.close();
}

TEST(frame_test, keeps_a_group_beside_any_content)
{
    for (const std::size_t size : sizes) {
        for (const std::size_t length : {1, 5, 14, 22, 23, 24, 39, 40, 255}) {
            const std::string content = content_of(size), group(length, 'g');
            frame f = copy_of(content);
            EXPECT_EQ("", f.group());
            const std::byte* const data = f.data();
            ASSERT_TRUE(f.set_group(group));
            EXPECT_EQ(group, f.group());
            EXPECT_EQ(group, f.group().data());
            EXPECT_EQ(data, f.data());
            EXPECT_EQ(content, text(f));

            frame copy;
            copy.init_copy(f);
            EXPECT_EQ(group, copy.group());
            frame moved;
            moved.init_move(copy);
            EXPECT_EQ("", copy.group());
            EXPECT_EQ(group, moved.group());
            EXPECT_EQ(content, text(moved));
            ASSERT_TRUE(f.set_group("other"));
            EXPECT_EQ("other", f.group());
            EXPECT_EQ(group, moved.group());
            ASSERT_TRUE(f.set_group(""));
            EXPECT_EQ("", f.group());
            EXPECT_STREQ("", f.group().data());
            f.reset();
            moved.reset();
            EXPECT_EQ("", moved.group());
            copy.close();
            moved.close();
            f.close();
        }
    }
}

TEST(frame_test, keeps_properties_beside_a_group)
{
    metadata* const m = metadata::create({{"name", "value"}});
    for (const std::size_t length : {5, 255}) {
        frame f = copy_of(content_of(39));
        f.set_properties(m);
        ASSERT_TRUE(f.set_group(std::string(length, 'g')));
        ASSERT_TRUE(f.properties());
        EXPECT_STREQ("value", f.properties()->find("name"));
        EXPECT_EQ(nullptr, f.properties()->find("other"));
        ASSERT_TRUE(f.set_group(std::string(length, 'h')));
        EXPECT_EQ(std::string(length, 'h'), f.group());
        EXPECT_STREQ("value", f.properties()->find("name"));
        ASSERT_TRUE(f.set_group("x") && f.set_group(""));
        EXPECT_EQ(m, f.properties());
        f.close();
    }
    m->release();
}

TEST(frame_test, new_content_has_no_group)
{
    for (const std::size_t length : {5, 255}) {
        frame f = copy_of(content_of(20));
        ASSERT_TRUE(f.set_group(std::string(length, 'g')));
        f.set_routing_id(7);
        ASSERT_TRUE(f.replace_with_copy("new", 3));
        EXPECT_EQ("", f.group());
        EXPECT_EQ(0u, f.routing_id());
        f.close();
    }
}

TEST(owned_frame_test, closes_itself)
{
    std::string memory(100, 'f');
    {
        owned_frame f;
        static_cast<frame&>(f) = foreign(memory);
        EXPECT_EQ(0, freed);
    }
    EXPECT_EQ(1, freed);
}

TEST(owned_frame_test, moves)
{
    std::string memory(100, 'f');
    owned_frame f;
    static_cast<frame&>(f) = foreign(memory);
    owned_frame second(std::move(f));
    EXPECT_EQ(0u, f.size());
    EXPECT_EQ(memory, text(second));
    owned_frame third;
    ASSERT_TRUE(third.init_copy_of("content to be dropped, longer than what fits inline", 51));
    third = std::move(second);
    EXPECT_EQ(memory, text(third));
    EXPECT_EQ(0u, second.size());
    owned_frame& itself = third;
    third = std::move(itself);
    EXPECT_EQ(memory, text(third));
    EXPECT_EQ(0, freed);
    third = owned_frame{};
    EXPECT_EQ(1, freed);
}

TEST(owned_frame_test, may_be_closed_before)
{
    std::string memory(100, 'f');
    {
        owned_frame f;
        static_cast<frame&>(f) = foreign(memory);
        f.close();
        EXPECT_EQ(1, freed);
    }
    EXPECT_EQ(1, freed);
}

}  // namespace
}  // namespace zlink::message
