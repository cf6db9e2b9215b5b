// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What is left in a lane at its end is counted, whatever has happened in it before.
#include "pipe/balance.hpp"

#include "lane_fixture.hpp"
#include "pipe/connection_counts.hpp"

namespace zlink::pipe::test {
namespace {

TEST(balance_test, messages_that_were_taken_and_those_that_are_left_are_all_that_were_put)
{
    joined_lane l;
    for (std::size_t size : telling_sizes) l.put({"a", pattern_of(size, 1)});
    (void)l.take();
    (void)l.take();
    l.writer.close();
    EXPECT_TRUE(balances_when_drained(l.writer, nullptr, l.reader));
    EXPECT_EQ(telling_sizes.size(), l.reader.messages_read());
}

TEST(balance_test, a_message_that_was_never_finished_is_in_no_number)
{
    joined_lane l;
    l.put({"a"});
    l.write("b", true);
    l.writer.close();
    EXPECT_TRUE(balances_when_drained(l.writer, nullptr, l.reader));
    EXPECT_EQ(1u, l.reader.messages_read());
}

TEST(balance_test, a_connection_that_was_cut_in_the_middle_of_a_message_leaves_it)
{
    joined_lane l;
    l.put({"first"});
    l.put({std::string(100, 'x')});
    l.reader.begin_octets();
    iovec pieces[4];
    ASSERT_LT(0, l.reader.gather(pieces, 4, 50, 50).count);
    (void)l.reader.commit(50);
    l.writer.close();
    EXPECT_TRUE(balances_when_drained(l.writer, nullptr, l.reader));
    EXPECT_EQ(2u, l.reader.messages_read());
}

// What the two sides of a connection count, while another thread looks.
TEST(balance_test, the_counts_of_a_connection_begin_at_nothing)
{
    connection_counts counts;
    counts.reads.add(2);
    EXPECT_EQ(2u, counts.reads.look());
    EXPECT_EQ(0u, counts.writes.look());
    EXPECT_EQ(0u, counts.round_trip.look());
}

}  // namespace
}  // namespace zlink::pipe::test
