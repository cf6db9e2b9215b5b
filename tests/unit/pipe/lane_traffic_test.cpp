// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a lane's two sides tell any thread: all octets and messages are put, taken, or between them, whatever was done.
#include "pipe/lane_traffic.hpp"

#include "pipe/pipe.hpp"
#include "unit/pipe/lane_fixture.hpp"

#include <gtest/gtest.h>
#include <sys/uio.h>

#include <string>
#include <thread>

namespace zlink::pipe::test {
namespace {

TEST(lane_traffic_test, queued_is_never_below_nothing_nor_more_than_its_octets_hold)
{
    EXPECT_EQ(0u, queued_between({1, 10}, {2, 20}).messages);
    EXPECT_EQ(0u, queued_between({1, 10}, {2, 20}).octets);
    EXPECT_EQ(0u, queued_between({7, 20}, {5, 20}).messages) << "taken, and not counted yet";
    EXPECT_EQ(2u, queued_between({7, 40}, {5, 20}).messages);
    EXPECT_EQ(20u, queued_between({7, 40}, {5, 20}).octets);
}

void expect_written(const joined_lane& l, std::uint64_t messages, std::uint64_t octets)
{
    const auto seen = l.writer.look_at_written();
    ASSERT_TRUE(seen);
    EXPECT_EQ(messages, seen->messages);
    EXPECT_EQ(octets, seen->octets);
}

void expect_read(const joined_lane& l, std::uint64_t messages, std::uint64_t octets)
{
    const auto seen = l.reader.look_at_read();
    ASSERT_TRUE(seen);
    EXPECT_EQ(messages, seen->messages);
    EXPECT_EQ(octets, seen->octets);
}

TEST(lane_traffic_test, both_sides_count_frames_with_their_headers)
{
    joined_lane l;
    expect_written(l, 0, 0);
    l.put({"abc"});
    l.put({"de", ""});
    expect_written(l, 2, 5 + 4 + 2);
    EXPECT_EQ((parts{"abc"}), l.take());
    expect_read(l, 1, 5);
    EXPECT_EQ((parts{"de", ""}), l.take());
    expect_read(l, 2, 11);
}

TEST(lane_traffic_test, large_bodies_count_as_well)
{
    joined_lane l;
    const std::string large = pattern_of(100'000);
    l.put({"small"});
    l.put({large});
    l.put({"a", large, "b"});
    const std::uint64_t all = 7 + 2 * (9 + large.size()) + 3 + 3;
    expect_written(l, 3, all);
    (void)l.take();
    (void)l.take();
    expect_read(l, 2, 7 + 9 + large.size());
    (void)l.take();
    expect_read(l, 3, all);
}

TEST(lane_traffic_test, thousands_of_messages_in_many_chunks)
{
    joined_lane l;
    std::uint64_t octets = 0;
    for (std::size_t i = 0; i < 5000; ++i) {
        const std::string body = pattern_of(i % 700);
        octets += encode({body}).size();
        l.put({body});
    }
    expect_written(l, 5000, octets);
    for (int i = 0; i < 5000; ++i) (void)l.take();
    expect_read(l, 5000, octets);
    l.put({"more"});
    (void)l.take();
    expect_written(l, 5001, octets + 6);
    expect_read(l, 5001, octets + 6);
}

TEST(lane_traffic_test, what_is_rolled_back_was_not_written)
{
    joined_lane l;
    l.put({"stays"});
    for (const std::size_t size : {std::size_t{10}, std::size_t{3000}, std::size_t{100'000}}) {
        for (int frames = 1; frames < 40; ++frames) {
            for (int i = 0; i < frames; ++i) l.write(pattern_of(size), true);
            l.writer.rollback();
            expect_written(l, 1, 7);
        }
    }
    l.put({"comes"});
    expect_written(l, 2, 14);
    EXPECT_EQ((parts{"stays"}), l.take());
    EXPECT_EQ((parts{"comes"}), l.take());
    expect_read(l, 2, 14);
}

TEST(lane_traffic_test, octet_mode_counts_octets_at_once_and_takes_back_what_is_sent_again)
{
    joined_lane l;
    const std::string large = pattern_of(50'000);
    l.put({"first"});
    l.put({"a", large, "b"});
    l.put({"last"});
    const auto all = l.writer.look_at_written()->octets;
    EXPECT_EQ(7 + 3 + 9 + large.size() + 3 + 6, all);
    l.reader.begin_octets();
    iovec pieces[16];
    std::uint64_t sent = 0;
    const auto send = [&](std::size_t n) {
        (void)l.reader.gather(pieces, 16, n, n);
        (void)l.reader.commit(n);
        sent += n;
    };
    send(3);
    EXPECT_EQ(sent, l.reader.octets_read());
    send(4 + 3 + 9 + 20'000);
    EXPECT_EQ(sent, l.reader.octets_read());
    l.reader.rewind();
    EXPECT_EQ(7u, l.reader.octets_read()) << "the second message goes again";
    sent = 7;
    send(3 + 9 + large.size());
    EXPECT_EQ(sent, l.reader.octets_read());
    l.reader.rewind();
    EXPECT_EQ(7u, l.reader.octets_read());
    sent = 7;
    send(3 + 9 + large.size() + 3);
    l.reader.rewind();
    EXPECT_EQ(sent, l.reader.octets_read()) << "between two messages";
    send(6);
    EXPECT_EQ(all, l.reader.octets_read());
    EXPECT_EQ(0u, queued_between(*l.writer.look_at_written(), *l.reader.look_at_read()).messages);
}

TEST(lane_traffic_test, a_reader_of_octets_that_stops_counts_what_it_has_taken_of_a_span)
{
    joined_lane l;
    for (int i = 0; i < 10; ++i) l.put({"12345678"});
    l.reader.begin_octets();
    iovec pieces[4];
    (void)l.reader.gather(pieces, 4, 35, 35);
    (void)l.reader.commit(35);
    EXPECT_EQ(0u, l.reader.messages_read()) << "at the end of the span";
    expect_read(l, 0, 35);
    l.reader.note_taken();
    expect_read(l, 3, 35);
    EXPECT_EQ(7u, queued_between(*l.writer.look_at_written(), *l.reader.look_at_read()).messages);
    (void)l.reader.gather(pieces, 4, 35, 35);
    (void)l.reader.commit(35);
    l.reader.note_taken();
    expect_read(l, 7, 70);
    l.put({pattern_of(20'000)});  // ends the span
    (void)l.reader.gather(pieces, 4, 10'000, 0);
    (void)l.reader.commit(10'000);
    l.reader.note_taken();
    expect_read(l, 10, 10'070);
    l.reader.rewind();
    expect_read(l, 10, 100);
    (void)l.reader.gather(pieces, 4, 30'000, 0);
    (void)l.reader.commit(20'009);
    l.reader.note_taken();
    expect_read(l, 11, 20'109);
    l.put({"x"});
    (void)l.reader.gather(pieces, 4, 3, 0);
    (void)l.reader.commit(3);
    l.reader.note_taken();
    expect_read(l, 12, 20'112);
    expect_written(l, 12, 20'112);
}

TEST(lane_traffic_test, a_pipe_shows_each_direction)
{
    pipe* const p = pipe::create({10, 10, 8192});
    ASSERT_TRUE(p);
    pipe_end& one = p->first();
    ASSERT_TRUE(one.writer.write({bytes("abc"), 3, false}));
    one.publish();
    const auto there = one.look_at_outbound();
    ASSERT_TRUE(there);
    EXPECT_EQ(1u, there->put.messages);
    EXPECT_EQ(0u, there->taken.messages);
    EXPECT_EQ(1u, there->queued.messages);
    EXPECT_EQ(5u, there->queued.octets);
    EXPECT_EQ(0u, one.peer().look_at_outbound()->put.messages);
    incoming f;
    ASSERT_TRUE(one.peer().reader.next(f));
    one.peer().pop(f);
    EXPECT_EQ(1u, one.look_at_outbound()->taken.messages);
    EXPECT_EQ(0u, one.look_at_outbound()->queued.octets);
    p->first().close();
    p->second().close();
}

TEST(lane_traffic_test, a_conflating_pipe_tells_what_was_replaced)
{
    pipe* const p = pipe::create({10, 10, 8192, true});
    ASSERT_TRUE(p);
    pipe_end& one = p->first();
    std::uint64_t octets = 0;
    for (std::size_t i = 0; i < 10; ++i) {
        const std::string body = pattern_of(i == 5 ? 20'000 : 10 * i);
        octets += encode({body}).size();
        ASSERT_TRUE(one.writer.write({bytes(body), body.size(), false}));
        one.publish();
    }
    auto seen = one.look_at_outbound();
    ASSERT_TRUE(seen);
    EXPECT_EQ(10u, seen->put.messages);
    EXPECT_EQ(octets, seen->put.octets);
    EXPECT_EQ(9u, seen->replaced.messages);
    EXPECT_EQ(1u, seen->queued.messages);
    EXPECT_EQ(92u, seen->queued.octets);
    incoming f;
    ASSERT_TRUE(one.peer().reader.next(f));
    one.peer().pop(f);
    seen = one.look_at_outbound();
    EXPECT_EQ(1u, seen->taken.messages);
    EXPECT_EQ(92u, seen->taken.octets);
    EXPECT_EQ(0u, seen->queued.messages);
    EXPECT_EQ(0u, seen->queued.octets);
    p->first().close();
    p->second().close();
}

TEST(lane_traffic_test, looks_while_both_sides_work_stress)
{
    constexpr std::uint64_t messages = 20'000;
    joined_lane l(100);
    std::thread writer([&] {
        const std::string large = pattern_of(10'000);
        for (std::uint64_t i = 0; i < messages;) {
            if (!l.writer.has_room()) {
                std::this_thread::yield();
                continue;
            }
            l.put({i % 50 == 0 ? large : pattern_of(i % 90)});
            ++i;
        }
    });
    std::thread reader([&] {
        incoming f;
        for (std::uint64_t i = 0; i < messages;) {
            if (!l.reader.next(f)) {
                std::this_thread::yield();
                continue;
            }
            (void)l.reader.pop(f);
            ++i;
        }
    });
    traffic put, taken;
    while (taken.messages != messages) {
        const auto took = l.reader.look_at_read();
        const auto wrote = l.writer.look_at_written();
        if (!took || !wrote) continue;
        ASSERT_LE(taken.messages, took->messages);
        ASSERT_LE(taken.octets, took->octets);
        ASSERT_LE(took->messages, wrote->messages);
        ASSERT_LE(took->octets, wrote->octets);
        ASSERT_LE(wrote->octets, messages * 10'100);
        put = *wrote;
        taken = *took;
    }
    writer.join();
    reader.join();
    EXPECT_EQ(l.writer.look_at_written()->octets, l.reader.look_at_read()->octets);
}

}  // namespace
}  // namespace zlink::pipe::test
