// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pipe/chunk_plan.hpp"

#include "pipe/lane.hpp"
#include "pipe/span.hpp"

#include <gtest/gtest.h>

namespace zlink::pipe::test {
namespace {

TEST(chunk_plan_test, a_span_holds_as_many_messages_as_credit_is_given_for)
{
    EXPECT_EQ(32u, chunk_plan(0).most_in_span());
    EXPECT_EQ(1u, chunk_plan(1).most_in_span());
    EXPECT_EQ(5u, chunk_plan(10).most_in_span());
    EXPECT_EQ(32u, chunk_plan(1000).most_in_span());
    chunk_plan changes(1000);
    changes.set_hwm(4);
    EXPECT_EQ(2u, changes.most_in_span());
}

TEST(chunk_plan_test, a_span_ends_where_credit_is_due)
{
    const chunk_plan plan(1000);
    EXPECT_EQ(32u, plan.end_at(0, 0, 500));
    EXPECT_EQ(10u, plan.end_at(0, 490, 500));
    EXPECT_EQ(13u, plan.end_at(3, 490, 500)) << "of the written ones, three are in the span";
    EXPECT_EQ(32u, plan.end_at(0, 500, 500));
}

TEST(chunk_plan_test, a_chunk_holds_whole_frames_and_their_spans)
{
    chunk_plan plan(0);
    EXPECT_EQ(chunk_plan::first_size, plan.size_for(0, 1024)) << "no frame is known yet";
    for (const std::size_t need : {10, 100, 1000, 10'000}) {
        const std::size_t size = plan.size_for(need, credit_step(0));
        const std::size_t frames = std::max<std::size_t>(2, (chunk_plan::first_size - 2 * span_room) / need);
        EXPECT_GE(size, frames * need + 2 * span_room) << need;
        EXPECT_LT(size, (frames + 1) * need + (3 + frames / 32) * span_room) << need;
        EXPECT_EQ(size, plan.size_for(0, credit_step(0))) << "chunks of equal size, where a span finds no room, too";
    }
}

TEST(chunk_plan_test, chunks_grow_while_the_reader_is_behind)
{
    chunk_plan plan(0);
    const std::size_t first = plan.size_for(100, 1024);
    plan.chunk_made(true);
    EXPECT_EQ(first, plan.size_for(100, 1024)) << "it was large enough";
    plan.chunk_made(false);
    const std::size_t second = plan.size_for(100, 1024);
    EXPECT_GT(second, first);
    for (int i = 0; i < 100; ++i) plan.chunk_made(false);
    const std::size_t largest = plan.size_for(100, 1024);
    EXPECT_GE(largest, 64u * 1024 - 100);
    plan.chunk_made(false);
    EXPECT_EQ(largest, plan.size_for(100, 1024)) << "up to a limit";
    plan.cap(4000);
    EXPECT_LT(plan.size_for(100, 1024), 5000u);
    plan.start_small();
    EXPECT_EQ(first, plan.size_for(100, 1024));
}

}  // namespace
}  // namespace zlink::pipe::test
