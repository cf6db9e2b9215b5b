// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The short ways in and out of a lane: the same messages as by the long ways, and nothing at all where those are
// needed.
#include "lane_fixture.hpp"

namespace zlink::pipe::test {
namespace {

constexpr std::size_t room = 1u << 20;

bool write_small(joined_lane& l, const std::string& body)
{
    return l.writer.write_small(bytes(body), body.size());
}

bool write_at_once(joined_lane& l, const std::string& body)
{
    return l.writer.write_at_once(bytes(body), body.size());
}

/// What take_at_once() shows; "(nothing)" if it does nothing.
std::string take_at_once(joined_lane& l, std::size_t most = room)
{
    const auto taken = l.reader.take_at_once(most);
    return taken.data() ? text(taken.data(), taken.size()) : "(nothing)";
}

/// Makes the first message's chunk, and has the reader look.
void begin(joined_lane& l)
{
    l.put({"first"});
    ASSERT_EQ(parts{"first"}, l.take());
    l.put({"second"});
    ASSERT_TRUE(l.reader.readable());
}

TEST(lane_at_once_test, every_mixture_of_ways_carries_the_same_messages)
{
    joined_lane l(100);
    std::vector<parts> sent;
    std::vector<parts> got;
    int at_once = 0;
    int small = 0;
    for (std::size_t i = 0; i < 2000; ++i) {
        const std::string body = pattern_of(i % 300, i);
        sent.push_back({body});
        if (i % 3 && write_small(l, body)) {
            ++small;
        } else if (!(i % 2 && write_at_once(l, body))) {
            l.put({body});
        }
        if (i % 7) continue;
        while (l.reader.readable()) {
            if (const std::string taken = take_at_once(l); taken != nothing[0]) {
                got.push_back({taken});
                ++at_once;
            } else {
                got.push_back(l.take());
            }
        }
        ASSERT_TRUE(l.writer.has_room());
    }
    while (l.reader.readable()) got.push_back(l.take());
    EXPECT_EQ(sent, got);
    EXPECT_GT(at_once, 0);
    EXPECT_GT(small, 100);
}

bool write_pair(joined_lane& l, const std::string& first, const std::string& last)
{
    return l.writer.write_pair({bytes(first), first.size(), true}, {bytes(last), last.size(), false});
}

/// The message that next_pair() shows and pop() takes; {"(nothing)"} if it shows none.
parts take_pair(joined_lane& l)
{
    std::span<const std::byte> first;
    incoming last;
    if (!l.reader.next_pair(first, last)) return {nothing[0]};
    parts message{text(first.data(), first.size()), text(last.data, last.size)};
    (void)l.reader.pop(last);
    return message;
}

TEST(lane_at_once_test, pairs_of_frames_are_written_and_taken_by_every_mixture_of_ways)
{
    joined_lane l(100);
    std::vector<parts> sent;
    std::vector<parts> got;
    int pairs = 0;
    for (std::size_t i = 0; i < 3000; ++i) {
        const parts message{pattern_of(i % 256, i), pattern_of(i % 97 ? i % 700 : 9000, i + 1)};
        sent.push_back(message);
        if (i % 3) {
            ASSERT_TRUE(write_pair(l, message[0], message[1]));
            EXPECT_FALSE(l.writer.in_message());
            l.writer.publish();
        } else {
            l.put(message);
        }
        if (i % 7) continue;
        while (l.reader.readable()) {
            parts taken = take_pair(l);
            if (taken.size() == 2) {
                ++pairs;
            } else {
                taken = l.take();
            }
            got.push_back(taken);
        }
        ASSERT_TRUE(l.writer.has_room());
    }
    while (l.reader.readable()) got.push_back(l.take());
    EXPECT_EQ(sent, got);
    EXPECT_GT(pairs, 2000);
}

TEST(lane_at_once_test, no_pair_is_shown_of_fewer_or_more_frames)
{
    joined_lane l;
    for (const parts& message : {parts{"one"}, parts{"1", "2", "3"}, parts{""}, parts{"", "", ""}}) {
        l.put(message);
        EXPECT_EQ(parts{nothing[0]}, take_pair(l));
        EXPECT_EQ(message, l.take());
    }
    EXPECT_EQ(parts{nothing[0]}, take_pair(l));
    l.put({"", ""});
    EXPECT_EQ((parts{"", ""}), take_pair(l));
}

TEST(lane_at_once_test, goes_on_after_a_large_message_and_after_one_that_was_rolled_back)
{
    joined_lane l(0, 128);
    begin(l);
    EXPECT_TRUE(write_small(l, "x"));
    l.put({pattern_of(128)});
    l.put({"y"});
    EXPECT_TRUE(write_small(l, "z"));
    l.write("forgotten", true);
    l.writer.rollback();
    l.write("forgotten, too", false);
    l.writer.rollback();
    EXPECT_TRUE(write_small(l, "end"));
    for (const std::string& body : {std::string("second"), std::string("x"), pattern_of(128), std::string("y"),
                                    std::string("z"), std::string("end")}) {
        EXPECT_EQ(parts{body}, l.take());
    }
    EXPECT_EQ(nothing, l.take());
}

TEST(lane_at_once_test, the_high_water_mark_holds)
{
    joined_lane l(10);
    int written = 0;
    l.put({"first"});
    while (write_small(l, "x")) ASSERT_LT(++written, 10);
    while (write_at_once(l, "x")) ASSERT_LT(++written, 10);
    EXPECT_EQ(9, written);
    EXPECT_FALSE(l.writer.has_room());
    EXPECT_FALSE(write_small(l, "x"));
}

TEST(lane_at_once_test, credit_is_given_when_it_is_due)
{
    joined_lane l(10);
    for (int i = 0; i < 10; ++i) l.put({"x"});
    ASSERT_TRUE(l.reader.readable());
    int taken = 0;
    while (take_at_once(l) == "x") ++taken;
    EXPECT_EQ(4, taken);  // the fifth gives credit
    EXPECT_FALSE(l.writer.has_room());
    EXPECT_EQ(parts{"x"}, l.take());
    EXPECT_TRUE(l.writer.has_room());
}

TEST(lane_at_once_test, nothing_goes_in_while_a_message_is_under_way)
{
    joined_lane l;
    begin(l);
    l.write("a", true);
    EXPECT_FALSE(write_small(l, "x"));
    EXPECT_FALSE(write_at_once(l, "x"));
    l.write("b", false);
    l.writer.publish();
    EXPECT_EQ(parts{"second"}, l.take());
    EXPECT_EQ((parts{"a", "b"}), l.take());
    EXPECT_EQ(nothing, l.take());
}

TEST(lane_at_once_test, what_is_large_goes_by_reference)
{
    joined_lane l(0, 16);
    begin(l);
    EXPECT_FALSE(write_small(l, pattern_of(16)));
    EXPECT_FALSE(write_at_once(l, pattern_of(16)));
    l.put({pattern_of(16)});
    EXPECT_EQ(parts{"second"}, l.take());
    ASSERT_TRUE(l.reader.readable());
    EXPECT_EQ("(nothing)", take_at_once(l));
    EXPECT_EQ(parts{pattern_of(16)}, l.take());
}

TEST(lane_at_once_test, parts_and_what_does_not_fit_stay_where_they_are)
{
    joined_lane l;
    begin(l);
    l.put({"a", "b"});
    EXPECT_EQ("(nothing)", take_at_once(l, 5));
    EXPECT_EQ("second", take_at_once(l, 6));
    ASSERT_TRUE(l.reader.readable());
    EXPECT_EQ("(nothing)", take_at_once(l));
    EXPECT_EQ((parts{"a", "b"}), l.take());
    EXPECT_EQ("(nothing)", take_at_once(l));
}

}  // namespace
}  // namespace zlink::pipe::test
