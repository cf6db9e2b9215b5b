// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A reader that has read everything leaves the chunk it is in: pipe/reclaim.cpp.
#include "base/asymmetric_fence.hpp"
#include "lane_fixture.hpp"

#include <atomic>
#include <new>
#include <thread>

namespace zlink::pipe::test {
namespace {

/// Both halves, as one thread that nothing disturbs.
bool leave(joined_lane& l, bool* wake = nullptr)
{
    if (!l.reader.begin_reclaim(l.writer.window())) return false;
    const bool told = l.reader.end_reclaim(l.writer.window(), true);
    if (wake) *wake |= told;
    return l.reader.chunk_size() == 0;
}

/// A chunk as a connection's reader hands it over. The caller has a reference of its own.
message::buffer* append(joined_lane& l, const std::string& wire, std::uint32_t messages, std::size_t visible)
{
    message::buffer* chunk = message::buffer::allocate(((wire.size() + 63) & ~std::size_t{63}) + sizeof(span));
    std::memcpy(chunk->data(), wire.data(), wire.size());
    chunk->add_ref();
    auto* place = chunk->data() + ((wire.size() + 63) & ~std::size_t{63});
    l.writer.append_span(chunk, place, chunk->data(), chunk->data() + visible, chunk->data() + wire.size(), messages);
    return chunk;
}

TEST(lane_reclaim_test, what_a_connection_read_is_left_with_its_last_message)
{
    joined_lane l;
    for (int round = 0; round < 3; ++round) {
        const std::string wire = encode_all({{"a", "b"}, {"c"}});
        message::buffer* chunk = append(l, wire, 2, wire.size());
        EXPECT_EQ((parts{"a", "b"}), l.take());
        EXPECT_FALSE(chunk->unique());
        EXPECT_EQ((parts{"c"}), l.take());
        EXPECT_TRUE(chunk->unique());
        EXPECT_FALSE(l.reader.has_news());
        EXPECT_EQ(nothing, l.take());
        chunk->release();
    }
    EXPECT_EQ(6u, l.reader.messages_read());
}

TEST(lane_reclaim_test, the_shortcut_leaves_too)
{
    joined_lane l;
    const std::string wire = encode_all({{"a"}, {"b"}});
    message::buffer* chunk = append(l, wire, 2, wire.size());
    ASSERT_TRUE(l.reader.readable());
    EXPECT_EQ(1u, l.reader.take_at_once(10).size());
    EXPECT_EQ(nullptr, l.reader.take_at_once(10).data());  // the long way
    EXPECT_EQ((parts{"b"}), l.take());
    EXPECT_TRUE(chunk->unique());
    chunk->release();
}

TEST(lane_reclaim_test, half_a_message_keeps_its_chunk)
{
    joined_lane l;
    const std::string wire = encode({"a"}) + encode({"b", "c"}).substr(0, 3);
    message::buffer* chunk = append(l, wire, 1, 3);
    EXPECT_EQ((parts{"a"}), l.take());
    EXPECT_FALSE(chunk->unique());
    const std::string rest = encode({"c"});
    message::buffer* second = append(l, rest, 1, rest.size());
    EXPECT_EQ((parts{"b", "c"}), l.take());
    EXPECT_TRUE(chunk->unique());
    EXPECT_TRUE(second->unique());
    chunk->release();
    second->release();
}

TEST(lane_reclaim_test, a_writer_knows_whether_its_reader_is_behind)
{
    joined_lane l;
    EXPECT_FALSE(l.writer.reader_is_behind());
    const std::string wire = encode({"a"});
    append(l, wire, 1, wire.size())->release();
    EXPECT_TRUE(l.writer.reader_is_behind());
    EXPECT_EQ((parts{"a"}), l.take());
    EXPECT_FALSE(l.writer.reader_is_behind());
}

TEST(lane_reclaim_test, a_written_lane_goes_on_as_a_new_one)
{
    joined_lane l;
    for (int round = 0; round < 5; ++round) {
        for (int i = 0; i < 100; ++i) l.put({pattern_of(500, std::size_t(i)), "x"});
        EXPECT_FALSE(l.reader.begin_reclaim(l.writer.window()));  // not everything is read
        for (int i = 0; i < 100; ++i) EXPECT_EQ((parts{pattern_of(500, std::size_t(i)), "x"}), l.take());
        EXPECT_GT(l.reader.chunk_size(), 1000u);
        EXPECT_TRUE(leave(l));
        EXPECT_FALSE(l.reader.has_news());
        EXPECT_EQ(nothing, l.take());
        EXPECT_FALSE(leave(l));  // there is nothing to leave
    }
    EXPECT_EQ(500u, l.reader.messages_read());
}

TEST(lane_reclaim_test, a_message_in_between_keeps_the_reader)
{
    joined_lane l;
    l.put({"a"});
    EXPECT_EQ((parts{"a"}), l.take());
    ASSERT_TRUE(l.reader.begin_reclaim(l.writer.window()));
    EXPECT_FALSE(l.writer.write_at_once(bytes("b"), 1));  // the room was taken away
    l.put({"b"});
    EXPECT_FALSE(l.reader.end_reclaim(l.writer.window(), true));
    EXPECT_GT(l.reader.chunk_size(), 0u);
    EXPECT_EQ((parts{"b"}), l.take());
    EXPECT_TRUE(leave(l));
}

TEST(lane_reclaim_test, without_a_barrier_nobody_leaves)
{
    joined_lane l;
    l.put({"a"});
    EXPECT_EQ((parts{"a"}), l.take());
    ASSERT_TRUE(l.reader.begin_reclaim(l.writer.window()));
    EXPECT_FALSE(l.reader.end_reclaim(l.writer.window(), false));
    EXPECT_GT(l.reader.chunk_size(), 0u);
    l.put({"b"});
    EXPECT_EQ((parts{"b"}), l.take());
}

TEST(lane_reclaim_test, an_unfinished_message_keeps_the_reader)
{
    joined_lane l;
    l.put({"a"});
    l.write("b", true);
    EXPECT_EQ((parts{"a"}), l.take());
    EXPECT_FALSE(leave(l));
    l.put({"c"});
    EXPECT_EQ((parts{"b", "c"}), l.take());
}

TEST(lane_reclaim_test, octets_that_were_committed_are_credited)
{
    joined_lane l(10);
    l.reader.begin_octets();
    bool wake = false;
    for (int round = 0; round < 20; ++round) {
        std::string sent;
        for (int i = 0; i < 3; ++i) {
            ASSERT_TRUE(l.writer.has_room_or_wait());
            l.put({"one", std::to_string(i)});
            sent += encode({"one", std::to_string(i)});
        }
        EXPECT_EQ(sent, l.drain_octets());
        EXPECT_TRUE(leave(l, &wake));
        EXPECT_EQ(0u, l.reader.octets_to(lane_reader::boundary::message));
    }
    EXPECT_EQ(60u, l.reader.messages_read());
    EXPECT_FALSE(l.reader.flush_credit());
    EXPECT_EQ(0u, l.writer.uncredited());
}

TEST(lane_reclaim_test, everything_else_works_behind_it)
{
    const auto left = [](joined_lane& l) {
        l.put({"a"});
        EXPECT_EQ((parts{"a"}), l.take());
        EXPECT_TRUE(leave(l));
    };
    {
        joined_lane l;
        left(l);
        l.writer.rollback();
        l.put({"b"});
        EXPECT_EQ((parts{"b"}), l.take());
    }
    {
        joined_lane l(5);
        left(l);
        l.writer.set_hwm(2);
        l.put({"b"});
        EXPECT_EQ((parts{"b"}), l.take());
    }
    {
        joined_lane l;
        left(l);
        const std::string wire = encode({"b"});
        append(l, wire, 1, wire.size())->release();
        EXPECT_EQ((parts{"b"}), l.take());
        l.put({pattern_of(9000)});
        EXPECT_EQ((parts{pattern_of(9000)}), l.take());
    }
    {
        joined_lane l;
        left(l);
        l.writer.close();
        EXPECT_FALSE(l.reader.readable());
        EXPECT_TRUE(l.reader.closed());
    }
    joined_lane ends_as_it_is;
    left(ends_as_it_is);
}

// A reader that leaves whenever it can, next to a writer that does not know.
TEST(lane_reclaim_test, nothing_is_lost_while_the_writer_writes_stress)
{
    asymmetric_fence::initialise(false);
    constexpr std::size_t messages = 200'000;
    joined_lane l(100);
    std::atomic<std::size_t> seen{0};
    std::thread writer([&] {
        for (std::size_t i = 0; i < messages; ++i) {
            // Now and then the reader finds nothing for a while.
            if (i % 50 == 0) {
                while (seen.load(std::memory_order_relaxed) != i) std::this_thread::yield();
            }
            while (!l.writer.has_room_or_wait()) std::this_thread::yield();
            const std::string text = pattern_of(i % 300, i);
            if (i % 3 != 0 || !l.writer.write_at_once(bytes(text), text.size())) l.put({text});
        }
    });
    std::size_t left = 0;
    for (std::size_t i = 0; i < messages;) {
        if (!l.reader.readable()) {
            if (l.reader.begin_reclaim(l.writer.window())) {
                (void)l.reader.end_reclaim(l.writer.window(), asymmetric_fence::barrier());
                left += l.reader.chunk_size() == 0;
            }
            std::this_thread::yield();
            continue;
        }
        ASSERT_EQ(parts{pattern_of(i % 300, i)}, l.take());
        seen.store(++i, std::memory_order_relaxed);
    }
    writer.join();
    RecordProperty("left", int(left));
    EXPECT_FALSE(l.reader.has_news());
}

}  // namespace
}  // namespace zlink::pipe::test
