// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// From a lane to a port of datagrams, without a thread.
#include "engine/datagram/datagram_writer.hpp"
#include "load/counters.hpp"
#include "scripted_port.hpp"
#include "unit/pipe/lane_fixture.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zlink::engine::test {
namespace {

using outcome = datagram_writer::outcome;
using pipe::test::joined_lane;
using pairs = std::vector<scripted_port::text_pair>;

class datagram_writer_test : public ::testing::Test {
protected:
    datagram_writer_test() { lane_.reader.begin_octets(); }

    outcome write_once()
    {
        pipe::owed_credit credit;
        return writer_.write_once(lane_.reader, credit);
    }

    joined_lane lane_;
    scripted_port port_;
    datagram_writer writer_{port_};
};

TEST_F(datagram_writer_test, hands_over_head_and_body)
{
    EXPECT_EQ(outcome::idle, write_once());
    const std::string large(20'000, 'x');
    lane_.put_all({{"a", "1"}, {"", ""}, {"b", large}});
    EXPECT_EQ(outcome::more, write_once());
    EXPECT_EQ((pairs{{"a", "1"}, {"", ""}, {"b", large}}), port_.went);
    EXPECT_EQ(outcome::idle, write_once());
}

TEST_F(datagram_writer_test, sends_every_message_once_and_in_order)
{
    pairs all;
    for (int i = 0; i < 1000; ++i) {
        all.emplace_back("g", std::string(std::size_t(i % 300), 'x') + std::to_string(i));
        lane_.put({all.back().first, all.back().second});
    }
    while (write_once() == outcome::more) {
    }
    EXPECT_EQ(all, port_.went);
}

TEST_F(datagram_writer_test, keeps_what_the_port_has_no_room_for)
{
    port_.room = 2;
    lane_.put_all({{"g", "1"}, {"g", "2"}, {"g", "3"}});
    EXPECT_EQ(outcome::blocked, write_once());
    EXPECT_EQ(outcome::blocked, write_once());
    port_.room = 3;
    EXPECT_EQ(outcome::more, write_once());
    EXPECT_EQ((pairs{{"g", "1"}, {"g", "2"}, {"g", "3"}}), port_.went);
}

TEST_F(datagram_writer_test, counts_what_is_refused)
{
    const auto before = load::total(load::rule::datagrams_refused).times;
    lane_.put_all({{"g", "1"}, {"refused", "2"}, {"g", "3"}});
    EXPECT_EQ(outcome::more, write_once());
    EXPECT_EQ((pairs{{"g", "1"}, {"g", "3"}}), port_.went);
    EXPECT_EQ(before + 1, load::total(load::rule::datagrams_refused).times);
}

TEST_F(datagram_writer_test, gives_credit_for_what_was_sent)
{
    joined_lane full(4);
    full.reader.begin_octets();
    for (int i = 0; i < 4; ++i) full.put({"g", "x"});
    EXPECT_FALSE(full.writer.has_room_or_wait());
    pipe::owed_credit credit;
    EXPECT_EQ(outcome::more, writer_.write_once(full.reader, credit));
    EXPECT_TRUE(credit.due());
    EXPECT_TRUE(full.writer.has_room());
}

TEST_F(datagram_writer_test, drops_everything_if_the_port_only_receives)
{
    port_.can_send = false;
    lane_.put_all({{"\1subscription"}, {"another", "form"}});
    EXPECT_EQ(outcome::more, write_once());
    EXPECT_EQ(outcome::idle, write_once());
    EXPECT_TRUE(port_.went.empty());
}

}  // namespace
}  // namespace zlink::engine::test
