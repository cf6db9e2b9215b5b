// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Lanes frame by frame: what becomes visible when, the high-water mark, large bodies, roll-back, metadata, the end.
#include "lane_fixture.hpp"

#include <random>

namespace zlink::pipe::test {
namespace {

TEST(lane_test, shows_nothing_before_it_is_published)
{
    joined_lane l;
    EXPECT_FALSE(l.reader.readable());
    l.write("a", false);
    EXPECT_FALSE(l.reader.readable());
    l.writer.publish();
    EXPECT_TRUE(l.reader.readable());
    EXPECT_EQ(parts{"a"}, l.take());
    EXPECT_FALSE(l.reader.readable());
    EXPECT_FALSE(l.reader.closed());
}

TEST(lane_test, next_shows_the_same_frame_until_it_is_taken)
{
    joined_lane l;
    l.put({"a", "b"});
    incoming f;
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(l.reader.next(f));
        EXPECT_EQ("a", text(f.data, f.size));
        EXPECT_TRUE(f.more);
    }
    (void)l.reader.pop(f);
    ASSERT_TRUE(l.reader.next(f));
    EXPECT_EQ("b", text(f.data, f.size));
    EXPECT_FALSE(f.more);
}

TEST(lane_test, carries_frames_of_every_size)
{
    joined_lane l;
    std::vector<parts> sent;
    for (int round = 0; round < 3; ++round) {
        for (std::size_t size : telling_sizes) sent.push_back({pattern_of(size, std::size_t(round))});
    }
    l.put_all(sent);
    EXPECT_EQ(sent, l.take_all());
    for (const parts& m : sent) {
        l.put(m);
        EXPECT_EQ(m, l.take());
    }
}

TEST(lane_test, a_message_over_many_chunks_appears_at_once)
{
    for (std::size_t size : telling_sizes) {
        joined_lane l;
        l.put({"before"});
        parts message;
        for (std::size_t i = 0; i < 40; ++i) {
            l.write(message.emplace_back(pattern_of(size, i)), true);
            EXPECT_TRUE(l.writer.in_message());
        }
        l.write(message.emplace_back("last"), false);
        EXPECT_EQ(parts{"before"}, l.take());
        EXPECT_FALSE(l.reader.readable()) << size;
        l.writer.publish();
        EXPECT_EQ(message, l.take());
        EXPECT_EQ(nothing, l.take());
    }
}

TEST(lane_test, holds_exactly_the_high_water_mark)
{
    for (std::uint64_t hwm : {1, 2, 3, 4, 5, 7, 31, 32, 33, 63, 64, 65, 127, 128, 1000}) {
        joined_lane l(hwm);
        std::uint64_t written = 0;
        while (l.writer.has_room()) {
            l.put({"x"});
            ++written;
        }
        EXPECT_EQ(hwm, written);
        EXPECT_EQ(0u, l.writer.room());
        EXPECT_EQ(hwm, l.writer.uncredited());
    }
}

TEST(lane_test, gives_credit_in_steps_of_half_the_mark_and_tells_a_waiting_writer_once)
{
    for (std::uint64_t hwm : {1, 2, 3, 4, 9, 10, 100, 1001}) {
        joined_lane l(hwm);
        for (std::uint64_t i = 0; i < hwm; ++i) l.put({"a", "b"});
        ASSERT_FALSE(l.writer.has_room_or_wait());
        std::uint64_t read = 0;
        bool told = false;
        while (!told) {
            ASSERT_LT(read, low_water_mark(hwm));
            EXPECT_FALSE(l.writer.has_room());
            l.take(&told);
            ++read;
        }
        EXPECT_EQ(low_water_mark(hwm), read);
        EXPECT_TRUE(l.writer.has_room());
        EXPECT_EQ(read, l.writer.room());
        told = false;
        while (l.reader.readable()) l.take(&told);
        EXPECT_FALSE(told);
    }
}

TEST(lane_test, never_holds_more_uncredited_messages_than_the_mark)
{
    std::mt19937 random(1);
    for (std::uint64_t hwm : {1, 2, 5, 50}) {
        joined_lane l(hwm);
        std::uint64_t in_lane = 0;
        for (int i = 0; i < 20000; ++i) {
            if (random() % 2) {
                if (!l.writer.has_room_or_wait()) continue;
                l.put({"x"});
                ASSERT_LE(++in_lane, hwm);
                ASSERT_LE(l.writer.uncredited(), hwm);
            } else if (l.reader.readable()) {
                l.take();
                --in_lane;
            }
        }
    }
}

TEST(lane_test, the_mark_never_stops_a_message_half_way)
{
    joined_lane l(1);
    EXPECT_TRUE(l.writer.has_room());
    for (int i = 0; i < 100; ++i) {
        l.write("part", true);
        EXPECT_TRUE(l.writer.has_room_or_wait());
    }
    l.write("last", false);
    l.writer.publish();
    EXPECT_FALSE(l.writer.has_room());
}

TEST(lane_test, without_a_mark_there_is_always_room)
{
    joined_lane l(0);
    for (int i = 0; i < 20000; ++i) {
        ASSERT_TRUE(l.writer.has_room_or_wait());
        l.put({"x"});
    }
    for (int i = 0; i < 20000; ++i) EXPECT_EQ(parts{"x"}, l.take());
}

TEST(lane_test, a_new_mark_holds_from_the_next_message_on)
{
    joined_lane l(2);
    l.put({"1"});
    l.put({"2"});
    EXPECT_FALSE(l.writer.has_room());
    l.writer.set_hwm(4);
    l.put({"3"});
    EXPECT_TRUE(l.writer.has_room());
    l.put({"4"});
    EXPECT_FALSE(l.writer.has_room());
    l.writer.set_hwm(1);
    for (int i = 0; i < 4; ++i) {
        EXPECT_FALSE(l.writer.has_room());
        l.take();
    }
    EXPECT_TRUE(l.writer.has_room());
    l.put({"5"});
    EXPECT_FALSE(l.writer.has_room());
    l.writer.set_hwm(0);
    EXPECT_TRUE(l.writer.has_room());
    EXPECT_EQ(parts{"5"}, l.take());
}

TEST(lane_test, the_reader_may_ask_for_another_mark)
{
    joined_lane l(10);
    (void)l.writer.apply_requested_hwm();
    EXPECT_EQ(10u, l.writer.hwm());
    l.reader.request_hwm(3);
    EXPECT_EQ(10u, l.writer.hwm());
    (void)l.writer.apply_requested_hwm();
    EXPECT_EQ(3u, l.writer.hwm());
    l.reader.request_hwm(0);
    (void)l.writer.apply_requested_hwm();
    EXPECT_EQ(0u, l.writer.hwm());
}

TEST(lane_test, flushing_credit_ignores_the_step)
{
    joined_lane l(100);
    for (int i = 0; i < 100; ++i) l.put({"x"});
    EXPECT_FALSE(l.writer.has_room_or_wait());
    EXPECT_FALSE(l.reader.flush_credit());
    l.take();
    EXPECT_FALSE(l.writer.has_room());
    EXPECT_TRUE(l.reader.flush_credit());
    EXPECT_TRUE(l.writer.has_room());
    EXPECT_EQ(1u, l.writer.room());
    EXPECT_FALSE(l.reader.flush_credit());
}

TEST(lane_test, a_large_body_is_shared_with_its_frame)
{
    joined_lane l;
    message::owned_frame f;
    ASSERT_TRUE(f.init_size(100000));
    std::memset(f.data(), 'L', f.size());
    ASSERT_TRUE(l.writer.write(outgoing::of(f, false)));
    l.writer.publish();
    incoming got;
    ASSERT_TRUE(l.reader.next(got));
    EXPECT_TRUE(got.by_reference);
    EXPECT_EQ(f.data(), got.data);
    EXPECT_FALSE(f.shareable()->unique());
    EXPECT_EQ(100000u, l.writer.large_bytes_unread());
    (void)l.reader.pop(got);
    EXPECT_TRUE(f.shareable()->unique());
    EXPECT_EQ(0u, l.writer.large_bytes_unread());
}

TEST(lane_test, a_constant_body_is_not_copied)
{
    static const std::string constant(50000, 'C');
    joined_lane l;
    message::owned_frame f;
    f.init_constant(constant.data(), constant.size());
    ASSERT_TRUE(l.writer.write(outgoing::of(f, false)));
    l.writer.publish();
    incoming got;
    ASSERT_TRUE(l.reader.next(got));
    EXPECT_EQ(bytes(constant), got.data);
    (void)l.reader.pop(got);
}

TEST(lane_test, a_body_outlives_the_lane_in_the_hands_of_a_holder)
{
    message::buffer* kept = nullptr;
    std::byte* data = nullptr;
    {
        joined_lane l;
        l.put({pattern_of(30000)});
        l.put({"small"});
        incoming f;
        ASSERT_TRUE(l.reader.next(f));
        kept = f.owner;
        data = f.data;
        kept->add_ref();
        (void)l.reader.pop(f);
    }
    EXPECT_EQ(pattern_of(30000), text(data, 30000));
    kept->release();
}

TEST(lane_test, frames_of_a_chunk_outlive_it_in_the_hands_of_a_holder)
{
    std::vector<incoming> held;
    {
        joined_lane l;
        for (std::size_t i = 0; i < 300; ++i) l.put({pattern_of(500, i)});
        incoming f;
        while (l.reader.next(f)) {
            f.owner->add_ref();
            held.push_back(f);
            (void)l.reader.pop(f);
        }
    }
    ASSERT_EQ(300u, held.size());
    for (std::size_t i = 0; i < held.size(); ++i) {
        EXPECT_EQ(pattern_of(500, i), text(held[i].data, held[i].size));
        held[i].owner->release();
    }
}

TEST(lane_test, roll_back_leaves_no_trace_wherever_the_message_stopped)
{
    for (std::size_t before : {0u, 1u, 3u, 31u, 32u, 33u}) {
        for (std::size_t size : telling_sizes) {
            for (std::size_t frames : {1u, 2u, 3u, 12u}) {
                for (bool read_first : {false, true}) {
                    joined_lane l;
                    std::vector<parts> expected;
                    for (std::size_t i = 0; i < before; ++i) l.put(expected.emplace_back(parts{pattern_of(60, i)}));
                    if (read_first) {
                        ASSERT_EQ(expected, l.take_all());
                        expected.clear();
                    }
                    for (std::size_t i = 0; i < frames; ++i) l.write(pattern_of(size, i), true);
                    ASSERT_FALSE(read_first && l.reader.readable());
                    l.writer.rollback();
                    EXPECT_FALSE(l.writer.in_message());
                    EXPECT_EQ(0u, l.writer.large_bytes_unread());
                    l.writer.rollback();
                    for (std::size_t i = 0; i < 3; ++i) {
                        l.put(expected.emplace_back(parts{"after", pattern_of(size, i)}));
                    }
                    ASSERT_EQ(expected, l.take_all()) << before << ' ' << size << ' ' << frames << ' ' << read_first;
                }
            }
        }
    }
}

TEST(lane_test, roll_back_of_mixed_frames_leaves_no_trace)
{
    std::mt19937 random(2);
    joined_lane l;
    std::vector<parts> expected;
    for (std::size_t i = 0; i < 4000; ++i) {
        const std::size_t frames = 1 + random() % 5;
        const bool finish = random() % 3 != 0;
        const bool complete = finish || random() % 2;
        parts message;
        for (std::size_t n = 0; n < frames; ++n) {
            const std::size_t size = telling_sizes[random() % (telling_sizes.size() - 4)];
            l.write(message.emplace_back(pattern_of(size, i + n)), n + 1 < frames || !complete);
        }
        if (finish) {
            l.writer.publish();
            expected.push_back(std::move(message));
        } else {
            l.writer.rollback();
        }
        if (random() % 4 == 0) {
            ASSERT_EQ(expected, l.take_all());
            expected.clear();
        }
    }
    EXPECT_EQ(expected, l.take_all());
}

message::metadata* properties(const std::string& value)
{
    return message::metadata::create({{"name", value}});
}

TEST(lane_test, metadata_holds_for_the_messages_behind_it)
{
    joined_lane l;
    l.put({"none"});
    l.writer.set_metadata(properties("one"));
    l.put({"1"});
    l.put({"1", pattern_of(20000), pattern_of(70000)});
    l.writer.set_metadata(properties("unused"));
    l.writer.set_metadata(properties("two"));
    l.put({"2"});
    l.writer.set_metadata(nullptr);
    incoming f;
    for (const char* expected : {"", "one", "one", "one", "one", "two"}) {
        ASSERT_TRUE(l.reader.next(f));
        if (*expected) {
            ASSERT_TRUE(f.metadata);
            EXPECT_STREQ(expected, f.metadata->find("name"));
        } else {
            EXPECT_FALSE(f.metadata);
        }
        (void)l.reader.pop(f);
    }
    EXPECT_FALSE(l.reader.readable());
}

TEST(lane_test, new_metadata_drops_an_unfinished_message)
{
    joined_lane l;
    l.write("cut", true);
    l.writer.set_metadata(properties("new"));
    l.put({"whole"});
    EXPECT_EQ(parts{"whole"}, l.take());
    ASSERT_TRUE(l.last.metadata);
    EXPECT_STREQ("new", l.last.metadata->find("name"));
}

TEST(lane_test, metadata_without_messages_does_not_disturb_later_ones)
{
    for (int changes = 1; changes < 6; ++changes) {
        for (bool look : {false, true}) {
            joined_lane l;
            l.put({"first"});
            EXPECT_EQ(parts{"first"}, l.take());
            for (int i = 0; i < changes; ++i) {
                l.writer.set_metadata(properties(std::to_string(i)));
                if (look) {
                    EXPECT_FALSE(l.reader.readable());
                }
            }
            l.write("a", true);
            l.write(pattern_of(9000), true);
            EXPECT_FALSE(l.reader.readable());
            l.write(pattern_of(900), true);
            EXPECT_FALSE(l.reader.readable());
            l.writer.rollback();
            EXPECT_FALSE(l.reader.readable());
            l.write("a", true);
            l.write(pattern_of(9000), true);
            l.write(pattern_of(900), false);
            EXPECT_FALSE(l.reader.readable());
            l.writer.publish();
            EXPECT_EQ((parts{"a", pattern_of(9000), pattern_of(900)}), l.take());
            ASSERT_TRUE(l.last.metadata);
            EXPECT_STREQ(std::to_string(changes - 1).c_str(), l.last.metadata->find("name"));
        }
    }
}

TEST(lane_test, what_was_published_can_be_read_after_the_close)
{
    joined_lane l;
    l.put({"a", "b"});
    l.put({pattern_of(50000)});
    l.write("unfinished", true);
    l.writer.close();
    l.writer.close();
    EXPECT_FALSE(l.reader.closed());
    EXPECT_EQ((parts{"a", "b"}), l.take());
    EXPECT_EQ(parts{pattern_of(50000)}, l.take());
    EXPECT_FALSE(l.reader.readable());
    EXPECT_TRUE(l.reader.closed());
    EXPECT_FALSE(l.reader.readable());
}

TEST(lane_test, an_empty_lane_can_be_closed)
{
    joined_lane l;
    EXPECT_FALSE(l.reader.readable());
    l.writer.close();
    EXPECT_FALSE(l.reader.readable());
    EXPECT_TRUE(l.reader.closed());
}

TEST(lane_test, what_is_left_unread_is_freed)
{
    // The sanitizer looks on.
    for (std::size_t size : telling_sizes) {
        joined_lane l;
        l.writer.set_metadata(properties("x"));
        l.put({pattern_of(size), pattern_of(size)});
        l.put({pattern_of(size)});
        l.take();
        l.put({"x", pattern_of(size)});
        l.writer.set_metadata(properties("y"));
        l.write(pattern_of(size), true);
        l.write(pattern_of(size), true);
    }
}

TEST(lane_test, news_are_noticed_without_a_look)
{
    joined_lane l;
    EXPECT_FALSE(l.reader.has_news());
    l.put({"a"});
    EXPECT_TRUE(l.reader.has_news());
    EXPECT_EQ(parts{"a"}, l.take());
    EXPECT_FALSE(l.reader.has_news());
    l.writer.set_metadata(properties("x"));
    EXPECT_FALSE(l.reader.has_news());
    l.write(pattern_of(20000), true);
    EXPECT_FALSE(l.reader.has_news());
    l.writer.rollback();
    EXPECT_FALSE(l.reader.has_news());
    l.put({pattern_of(20000)});
    EXPECT_TRUE(l.reader.has_news());
    EXPECT_EQ(parts{pattern_of(20000)}, l.take());
    EXPECT_FALSE(l.reader.has_news());
    l.writer.close();
    EXPECT_TRUE(l.reader.has_news());
    EXPECT_FALSE(l.reader.readable());
    EXPECT_FALSE(l.reader.has_news());
}

TEST(lane_test, one_announcement_earns_one_wake_up)
{
    joined_lane l;
    l.put({"a"});
    EXPECT_FALSE(l.writer.reader_sleeps());
    l.reader.go_dormant();
    EXPECT_TRUE(l.reader.dormant());
    EXPECT_TRUE(l.writer.reader_sleeps());
    EXPECT_TRUE(l.writer.take_wake());
    EXPECT_FALSE(l.writer.take_wake());
    EXPECT_FALSE(l.reader.wake_up());
    l.reader.go_dormant();
    EXPECT_TRUE(l.reader.wake_up());
    EXPECT_FALSE(l.writer.reader_sleeps());
}

/// Octets of the chunk that a lane uses after many bursts of four messages, of 1,000 octets each, behind which the
/// reader sleeps or not.
std::size_t chunk_after_bursts(bool sleeps)
{
    joined_lane l;
    for (int burst = 0; burst < 500; ++burst) {
        for (int i = 0; i < 4; ++i) {
            l.put({pattern_of(1000)});
            const bool slept = l.writer.reader_sleeps();
            EXPECT_EQ(slept, l.writer.take_wake());
        }
        EXPECT_EQ(4u, l.take_all().size());
        if (sleeps) l.reader.go_dormant();
    }
    return l.reader.chunk_size();
}

// Of thirty lanes with chunks of 64 KB each next message would lie in memory that is not in the cache.
TEST(lane_test, chunks_grow_no_larger_than_what_comes_between_two_sleeps)
{
    EXPECT_LE(chunk_after_bursts(true), 12'000u);
    EXPECT_GE(chunk_after_bursts(false), 48'000u);
}

}  // namespace
}  // namespace zlink::pipe::test
