// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// From a port of datagrams to a lane, without a thread.
#include "engine/datagram/datagram_reader.hpp"
#include "load/counters.hpp"
#include "scripted_port.hpp"
#include "unit/pipe/lane_fixture.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zlink::engine::test {
namespace {

using outcome = datagram_reader::outcome;
using pipe::test::joined_lane;
using pipe::test::parts;
using messages = std::vector<parts>;

class datagram_reader_test : public ::testing::Test {
protected:
    scripted_port port_;
    datagram_reader reader_{port_};
};

TEST_F(datagram_reader_test, makes_messages_of_two_frames)
{
    joined_lane lane;
    const std::string large(60'000, 'x');
    port_.come = {{"a", "1"}, {"", ""}, {"b", large}};
    EXPECT_EQ(outcome::drained, reader_.read_once(lane.writer));
    EXPECT_EQ((messages{{"a", "1"}, {"", ""}, {"b", large}}), lane.take_all());
    EXPECT_EQ(outcome::drained, reader_.read_once(lane.writer));
    EXPECT_EQ(messages{}, lane.take_all());
}

TEST_F(datagram_reader_test, takes_a_batch_at_a_time)
{
    joined_lane lane;
    port_.come.assign(datagram_reader::most + 1, {"g", "x"});
    EXPECT_EQ(outcome::more, reader_.read_once(lane.writer));
    EXPECT_EQ(datagram_reader::most, lane.take_all().size());
    EXPECT_EQ(outcome::drained, reader_.read_once(lane.writer));
    EXPECT_EQ(1u, lane.take_all().size());
}

TEST_F(datagram_reader_test, takes_no_more_than_the_lane_has_room_for)
{
    joined_lane lane(3);
    port_.come.assign(5, {"g", "x"});
    EXPECT_EQ(outcome::more, reader_.read_once(lane.writer));
    EXPECT_EQ(2u, port_.come.size());
    EXPECT_EQ(outcome::lane_full, reader_.read_once(lane.writer));
    bool told = false;
    for (int i = 0; i < 3; ++i) EXPECT_EQ((parts{"g", "x"}), lane.take(&told));
    EXPECT_TRUE(told);
    EXPECT_EQ(outcome::drained, reader_.read_once(lane.writer));
    EXPECT_EQ(2u, lane.take_all().size());
}

TEST_F(datagram_reader_test, counts_malformed_datagrams)
{
    joined_lane lane;
    const auto before = load::total(load::rule::datagrams_malformed).times;
    port_.malformed = 3;
    EXPECT_EQ(outcome::drained, reader_.read_once(lane.writer));
    EXPECT_EQ(before + 3, load::total(load::rule::datagrams_malformed).times);
}

TEST_F(datagram_reader_test, drops_and_counts_datagrams_when_memory_is_short)
{
    joined_lane lane;
    const auto before = load::total(load::rule::datagrams_lost).times;
    port_.come = {{"g", "lost"}};
    {
        const pipe::lane_writer_test_access short_memory(lane.writer);
        EXPECT_EQ(outcome::drained, reader_.read_once(lane.writer));
    }
    EXPECT_EQ(before + 1, load::total(load::rule::datagrams_lost).times);
    port_.come = {{"g", "found"}};
    EXPECT_EQ(outcome::drained, reader_.read_once(lane.writer));
    EXPECT_EQ((messages{{"g", "found"}}), lane.take_all());
}

}  // namespace
}  // namespace zlink::engine::test
