// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Lanes with a mark in octets.
#include "lane_fixture.hpp"

#include "pipe/octet_marks.hpp"
#include "pipe/pipe.hpp"

#include <array>

namespace zlink::pipe::test {
namespace {

constexpr std::size_t body_size = 98;  // and a header
constexpr std::size_t message_octets = body_size + 2;

struct marked_lane : joined_lane {
    explicit marked_lane(std::uint64_t mark, std::uint64_t hwm = 0) : joined_lane(hwm) { writer.set_octet_mark(mark); }

    int fill()
    {
        int written = 0;
        for (; written < 100'000 && writer.has_room(); ++written) put({pattern_of(body_size)});
        return written;
    }
};

TEST(octet_mark_test, lets_messages_through_while_the_queue_is_below_the_mark)
{
    for (const auto& [mark, messages] : {std::pair(1, 1), {99, 1}, {100, 1}, {101, 2}, {1000, 10}, {1001, 11}}) {
        marked_lane l{std::uint64_t(mark)};
        EXPECT_EQ(messages, l.fill()) << mark;
        EXPECT_FALSE(l.writer.has_room());
        EXPECT_EQ(0u, l.writer.octet_room());
    }
}

TEST(octet_mark_test, a_message_above_the_mark_goes_through_an_empty_queue)
{
    marked_lane l(10);
    for (const std::size_t size : {100u, 10'000u, 1'000'000u}) {  // the last ones by reference
        ASSERT_TRUE(l.writer.has_room());
        l.put({pattern_of(size)});
        EXPECT_FALSE(l.writer.has_room());
        EXPECT_EQ(parts{pattern_of(size)}, l.take());
    }
    EXPECT_TRUE(l.writer.has_room());
}

TEST(octet_mark_test, whichever_mark_is_reached_first_holds)
{
    EXPECT_EQ(3, marked_lane(1000, 3).fill());
    EXPECT_EQ(10, marked_lane(1000, 30).fill());
}

TEST(octet_mark_test, half_of_the_mark_makes_room)
{
    marked_lane l(1000);
    ASSERT_EQ(10, l.fill());
    for (int i = 0; i < 4; ++i) (void)l.take();
    EXPECT_FALSE(l.writer.has_room());
    (void)l.take();
    EXPECT_EQ(5, l.fill());
}

TEST(octet_mark_test, half_of_the_mark_in_messages_makes_room_too)
{
    marked_lane l(1000, 4);
    ASSERT_EQ(4, l.fill());
    (void)l.take();
    EXPECT_FALSE(l.writer.has_room());
    (void)l.take();
    EXPECT_EQ(2, l.fill());
}

TEST(octet_mark_test, a_waiting_writer_is_told_once)
{
    marked_lane l(300);
    ASSERT_EQ(3, l.fill());
    ASSERT_FALSE(l.writer.has_room_or_wait());
    bool told = false;
    (void)l.take(&told);
    EXPECT_FALSE(told);
    (void)l.take(&told);
    EXPECT_TRUE(told);
    told = false;
    (void)l.take(&told);
    EXPECT_FALSE(told);
}

TEST(octet_mark_test, a_message_under_way_goes_on_whatever_it_holds)
{
    marked_lane l(50);
    ASSERT_TRUE(l.writer.has_room());
    for (int i = 0; i < 5; ++i) {
        l.write(pattern_of(body_size), true);
        EXPECT_TRUE(l.writer.has_room());
        EXPECT_TRUE(l.writer.has_room_for_next()) << "nothing else is in the queue";
    }
    l.write("end", false);
    l.writer.publish();
    EXPECT_FALSE(l.writer.has_room());
}

// A connection's reader has read messages and the beginning of another one, which is longer than the mark.
TEST(octet_mark_test, the_beginning_of_a_message_does_not_count)
{
    marked_lane l(1000);
    const std::string whole = encode({pattern_of(300)}) + encode({pattern_of(300)});
    ASSERT_TRUE(l.writer.append_copy(bytes(whole), bytes(whole) + whole.size(), 2));
    for (int i = 0; i < 20; ++i) {
        const std::string part = encode({pattern_of(300), ""}).substr(0, 309);  // the first frame alone
        ASSERT_TRUE(l.writer.append_copy(bytes(part), bytes(part) + part.size(), 0));
        ASSERT_TRUE(l.writer.has_room_for_next_or_wait()) << i;
    }
    (void)l.take();
    EXPECT_TRUE(l.writer.has_room_for_next_or_wait());
    (void)l.take();
    EXPECT_TRUE(l.writer.has_room_for_next_or_wait());
    l.writer.rollback();
    EXPECT_EQ(1000u, l.writer.octet_room());
}

TEST(octet_mark_test, messages_in_front_of_a_beginning_count)
{
    marked_lane l(600);
    const std::string two = encode({pattern_of(300)}) + encode({pattern_of(300)});
    ASSERT_TRUE(l.writer.append_copy(bytes(two), bytes(two) + two.size(), 2));
    const std::string part = encode({pattern_of(5000), ""}).substr(0, 5009);
    ASSERT_TRUE(l.writer.append_copy(bytes(part), bytes(part) + part.size(), 0));
    EXPECT_FALSE(l.writer.has_room_for_next_or_wait());
    bool told = false;
    (void)l.take(&told);
    EXPECT_TRUE(told);
    EXPECT_TRUE(l.writer.has_room_for_next_or_wait());
}

TEST(octet_mark_test, octets_that_the_kernel_has_taken_make_room)
{
    marked_lane l(1000);
    l.reader.begin_octets();
    ASSERT_EQ(10, l.fill());
    ASSERT_FALSE(l.writer.has_room_or_wait());
    std::array<iovec, 16> pieces{};
    const auto batch = l.reader.gather(pieces.data(), int(pieces.size()), 1 << 20, 1 << 20);
    EXPECT_EQ(1000u, batch.bytes);
    EXPECT_FALSE(l.reader.commit(499));
    EXPECT_FALSE(l.writer.has_room());
    EXPECT_TRUE(l.reader.commit(1)) << "in the middle of a span";
    EXPECT_EQ(5, l.fill());
}

TEST(octet_mark_test, a_write_of_everything_promises_room_for_one)
{
    marked_lane l(1000);
    l.reader.begin_octets();
    ASSERT_EQ(10, l.fill());
    ASSERT_FALSE(l.writer.has_room_or_wait());
    EXPECT_TRUE(l.reader.begin_write(10));
    EXPECT_TRUE(l.writer.has_room());
    l.put({pattern_of(body_size)});
    EXPECT_FALSE(l.writer.has_room());
}

TEST(octet_mark_test, a_cut_message_that_comes_back_counts_again)
{
    marked_lane l(100);
    l.reader.begin_octets();
    l.put({pattern_of(500)});
    std::array<iovec, 16> pieces{};
    (void)l.reader.gather(pieces.data(), int(pieces.size()), 1 << 20, 1 << 20);
    (void)l.reader.commit(450);
    l.reader.rewind();
    EXPECT_EQ(509u, l.reader.gather(pieces.data(), int(pieces.size()), 1 << 20, 1 << 20).bytes);
    (void)l.reader.commit(509);
    EXPECT_TRUE(l.writer.has_room());
}

TEST(octet_mark_test, the_mark_may_change_and_go)
{
    marked_lane l(1000);
    ASSERT_EQ(10, l.fill());
    l.writer.set_octet_mark(1500);
    EXPECT_EQ(5, l.fill());
    l.writer.set_octet_mark(100);
    EXPECT_FALSE(l.writer.has_room());
    l.writer.set_octet_mark(0);
    EXPECT_TRUE(l.writer.has_room());
    l.reader.request_octet_mark(200);
    EXPECT_TRUE(l.writer.apply_requested_hwm());
    EXPECT_FALSE(l.writer.has_room());
    EXPECT_FALSE(l.writer.apply_requested_hwm());
    while (l.take() != nothing) {
    }
    EXPECT_EQ(2, l.fill());
}

TEST(octet_mark_test, a_mark_that_comes_late_counts_what_is_in_the_queue)
{
    joined_lane l(0);
    for (int i = 0; i < 100; ++i) {
        l.put({pattern_of(body_size)});
        (void)l.take();
    }
    l.writer.set_octet_mark(message_octets);
    (void)l.reader.flush_credit();
    EXPECT_TRUE(l.writer.has_room());
    l.put({pattern_of(body_size)});
    EXPECT_FALSE(l.writer.has_room());
}

TEST(octet_mark_test, pipes_have_one_for_each_direction)
{
    pipe* const p = pipe::create({0, 0, 8192, false, 100, 200});
    ASSERT_NE(nullptr, p);
    EXPECT_EQ(100u, p->first().writer.octet_room());
    EXPECT_EQ(200u, p->second().writer.octet_room());
    p->second().writer.set_octet_mark(30);
    p->second().reader.request_octet_mark(40);
    EXPECT_TRUE(p->first().writer.apply_requested_hwm());
    EXPECT_EQ(140u, p->first().writer.octet_room());
    EXPECT_EQ(230u, p->second().writer.octet_room());
    p->first().close();
    p->second().close();
}

}  // namespace
}  // namespace zlink::pipe::test
