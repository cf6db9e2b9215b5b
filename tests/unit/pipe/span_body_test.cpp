// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pipe/span_body.hpp"

#include <gtest/gtest.h>

namespace zlink::pipe::test {
namespace {

TEST(span_body_test, belongs_to_the_writer_again_once_the_reader_is_done)
{
    span_body b;
    EXPECT_FALSE(b.there());
    EXPECT_FALSE(b.in_use());
    auto* const memory = message::buffer::allocate(100);
    b.set(memory, memory->data(), 100);
    EXPECT_TRUE(b.there());
    EXPECT_TRUE(b.in_use());
    b.end();
    EXPECT_FALSE(b.in_use());
    memory->release();
}

TEST(span_body_test, drops_its_reference)
{
    auto* const memory = message::buffer::allocate(100);
    memory->add_ref();
    span_body b;
    b.set(memory, memory->data(), 100);
    EXPECT_FALSE(memory->unique());
    b.drop();
    EXPECT_FALSE(b.there());
    EXPECT_TRUE(memory->unique());
    memory->release();
}

TEST(span_body_test, counts_as_large_unless_it_is_light)
{
    span_body b;
    EXPECT_EQ(0u, b.large_size());
    auto* const memory = message::buffer::allocate(100);
    b.set(memory, memory->data(), 100);
    EXPECT_EQ(100u, b.large_size());
    b.light = true;
    EXPECT_EQ(0u, b.large_size());
    EXPECT_EQ(100u, b.size);
    b.drop();
}

}  // namespace
}  // namespace zlink::pipe::test
