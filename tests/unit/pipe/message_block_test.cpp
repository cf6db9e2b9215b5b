// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pipe/message_block.hpp"

#include "pipe/block_maker.hpp"
#include "unit/pipe/lane_fixture.hpp"

#include <string>

namespace zlink::pipe::test {
namespace {

message_block* block_of(const parts& message)
{
    joined_lane l;
    l.put(message);
    block_maker maker;
    message_block* const made = maker.take(l.reader);
    EXPECT_FALSE(l.reader.readable());
    return made;
}

TEST(message_block_test, has_the_octets_of_all_frames_though_the_lane_is_gone)
{
    for (const parts& message : {parts{"a"}, parts{"", "bc", ""}, parts{"id", pattern_of(50'000), "tail"}}) {
        message_block* const made = block_of(message);
        ASSERT_TRUE(made);
        std::string octets;
        for (const span* s = made->first; s; s = s->next.load()) {
            octets += text(s->begin, std::size_t(s->end.load() - s->begin));
            if (s->body.there()) octets += text(s->body.data, s->body.size);
            EXPECT_EQ(s == made->last, s->ends_message);
        }
        EXPECT_EQ(encode(message), octets);
        EXPECT_EQ(octets.size(), made->octets);
        release_block(made);
    }
}

TEST(message_block_test, comes_out_of_a_queue_in_order)
{
    block_queue queue;
    for (const parts& message : {parts{"a"}, parts{"bc"}, parts{"def"}}) queue.push(block_of(message));
    EXPECT_EQ(3u, queue.all().messages);
    EXPECT_EQ(12u, queue.all().octets);
    EXPECT_EQ(3u, queue.front()->octets);
    for (const std::size_t octets : {3u, 4u}) {
        message_block* const next = queue.pop();
        EXPECT_EQ(octets, next->octets);
        release_block(next);
    }
    EXPECT_EQ(1u, queue.all().messages);
    EXPECT_EQ(5u, queue.all().octets) << "the queue releases it";
}

}  // namespace
}  // namespace zlink::pipe::test
