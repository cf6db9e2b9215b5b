// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Outgoing half of a wire: what a write makes room for before it is done.
#include "wire/outbound.hpp"

#include "unit/pipe/lane_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace zlink::wire {
namespace {

using pipe::test::joined_lane;

constexpr std::uint64_t mark = 10;

/// A lane at its mark, and the wire that writes it: as frames lie in the lane, or staged (ZMTP 1.0).
class outbound_test : public testing::TestWithParam<bool> {
protected:
    outbound_test() : lane_(mark), out_(GetParam() ? make_zmtp1_encoder() : nullptr)
    {
        lane_.reader.begin_octets();
        fill();
    }

    void fill()
    {
        while (lane_.writer.has_room_or_wait()) lane_.put({"a message"});
    }
    /// A batch is about to be written, at most `per_write` octets of it.
    std::size_t gather(std::size_t per_write = 1 << 20)
    {
        pipe::owed_credit credit;
        iovec to[8];
        const outbound::limits most{.batch = 1 << 20, .batch_after_large = 1 << 20, .per_write = per_write};
        return out_.gather(lane_.reader, to, 8, most, credit).octets;
    }
    void accept(std::size_t octets) { (void)out_.accept(lane_.reader, octets); }
    [[nodiscard]] bool has_room() { return lane_.writer.has_room(); }

    joined_lane lane_;
    outbound out_;
};

TEST_P(outbound_test, a_write_makes_room_before_it_is_done)
{
    EXPECT_FALSE(has_room());
    (void)gather();
    EXPECT_TRUE(has_room());
}

TEST_P(outbound_test, a_peer_that_takes_nothing_gets_no_more_than_one_batch_beyond_the_mark)
{
    (void)gather();
    fill();
    accept(0);
    const std::uint64_t held = lane_.writer.uncredited();
    for (int i = 0; i < 100; ++i) {
        (void)gather();
        EXPECT_FALSE(has_room()) << "the stream is full";
        fill();
        accept(0);
    }
    EXPECT_EQ(held, lane_.writer.uncredited());
}

TEST_P(outbound_test, a_stream_that_takes_all_again_makes_room_again)
{
    (void)gather();
    accept(0);
    const std::size_t all = gather();
    EXPECT_FALSE(has_room());
    accept(all);
    fill();
    (void)gather();
    EXPECT_TRUE(has_room());
}

TEST_P(outbound_test, what_does_not_go_out_with_a_write_makes_no_room)
{
    constexpr std::size_t less_than_a_message = 4;
    for (int i = 0; i < 2; ++i) {
        (void)gather(less_than_a_message);
        EXPECT_FALSE(has_room());
        accept(less_than_a_message);
    }
    EXPECT_EQ(mark, lane_.writer.uncredited());
}

TEST_P(outbound_test, a_write_that_takes_all_it_may_does_not_fill_the_stream)
{
    accept(std::min(gather(4), std::size_t{4}));
    (void)gather();
    EXPECT_TRUE(has_room());
}

TEST_P(outbound_test, a_lone_message_makes_room_though_the_stream_was_full)
{
    joined_lane one(1);
    one.reader.begin_octets();
    one.put({"a message"});
    pipe::owed_credit credit;
    iovec to[8];
    for (int i = 0; i < 2; ++i) {
        const auto batch = out_.gather(one.reader, to, 8, {.batch = 1 << 20, .batch_after_large = 1 << 20}, credit);
        EXPECT_TRUE(one.writer.has_room()) << "its answer may come before the write returns";
        (void)out_.accept(one.reader, i == 0 ? 1 : batch.octets);
    }
}

INSTANTIATE_TEST_SUITE_P(forms, outbound_test, testing::Bool(),
                         [](const auto& staged) { return staged.param ? "staged" : "as_in_the_lane"; });

}  // namespace
}  // namespace zlink::wire
