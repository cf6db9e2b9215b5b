// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pipe/open_chunk.hpp"

#include <gtest/gtest.h>

namespace zlink::pipe::test {
namespace {

class open_chunk_test : public testing::Test {
protected:
    ~open_chunk_test() override { memory_->release(); }

    message::buffer* memory_ = message::buffer::allocate(1000);
    open_chunk chunk_;
};

TEST_F(open_chunk_test, is_empty_until_it_has_memory)
{
    EXPECT_FALSE(chunk_);
    chunk_.begin(memory_);
    EXPECT_TRUE(chunk_);
    EXPECT_EQ(memory_, chunk_.buffer());
    chunk_.forget();
    EXPECT_FALSE(chunk_);
    EXPECT_EQ(nullptr, chunk_.top());
}

TEST_F(open_chunk_test, spans_lie_at_its_end_and_grow_downwards)
{
    chunk_.begin(memory_);
    const auto* const end = memory_->data() + memory_->capacity();
    const span* last = nullptr;
    for (int i = 0; i < 3; ++i) {
        const std::byte* const before = chunk_.top();
        const span* const s = chunk_.place_span();
        EXPECT_EQ(0u, reinterpret_cast<std::uintptr_t>(s) % alignof(span));
        EXPECT_EQ(reinterpret_cast<const std::byte*>(s), chunk_.top());
        EXPECT_LE(std::size_t(before - chunk_.top()), span_room);
        EXPECT_LE(reinterpret_cast<const std::byte*>(s + 1), last ? reinterpret_cast<const std::byte*>(last) : end);
        last = s;
    }
}

TEST_F(open_chunk_test, frames_have_the_room_below_the_spans)
{
    chunk_.begin(memory_);
    (void)chunk_.place_span();
    const std::byte* const begin = memory_->data();
    const auto room = std::size_t(chunk_.top() - begin);
    EXPECT_TRUE(chunk_.has_room(begin, room));
    EXPECT_FALSE(chunk_.has_room(begin, room + 1));
    EXPECT_TRUE(chunk_.has_room(chunk_.top(), 0));
}

}  // namespace
}  // namespace zlink::pipe::test
