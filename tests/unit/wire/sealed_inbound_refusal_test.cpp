// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a sealed wire does not take. They are frames that are forged, played again or out of order, beyond the limits,
// or of a form that does not exist. What came before is delivered, and the reason is there to be told.
#include "opening_lane.hpp"
#include "support/allocated.hpp"

#include <gtest/gtest.h>

namespace zlink::wire::test {
namespace {

using outcome = inbound::outcome;
using reason = zmtp::handshake_error;

struct refusal {
    errc error;
    zmtp::handshake_error why;
    messages before;
};

/// What becomes of a stream that is not taken to its end, the same for all pieces it may come in.
refusal refuse(const std::string& wire, const frame_limits& limits = {})
{
    refusal all{errc::none, reason::none, {}};
    for (const std::size_t step : {wire.size(), std::size_t{1}, std::size_t{50}}) {
        opening_lane l(limits);
        EXPECT_EQ(outcome::failed, l.come(wire, step)) << step;
        refusal now{l.in.error(), l.in.reason(), {}};
        l.lane.writer.rollback();
        now.before = l.lane.take_all();
        if (step == wire.size()) all = now;
        EXPECT_EQ(all.error, now.error) << step;
        EXPECT_EQ(all.why, now.why) << step;
        EXPECT_EQ(all.before, now.before) << step;
    }
    return all;
}

TEST(sealed_inbound_refusal_test, an_altered_octet_ends_the_connection)
{
    const std::string good = toy::frame(0, 0, "good");
    const std::string frame = toy::frame(1, 0, "altered");
    for (std::size_t at = 2; at < frame.size(); ++at) {
        std::string wire = good + frame + toy::frame(2, 0, "behind");
        wire[good.size() + at] ^= 1;
        const refusal r = refuse(wire);
        EXPECT_EQ(errc::protocol_error, r.error) << at;
        EXPECT_EQ(at < 10   ? toy::opener::bad_name
                  : at < 18 ? toy::opener::bad_number
                            : toy::opener::bad_checksum,
                  r.why)
            << at;
        EXPECT_EQ((messages{{"good"}}), r.before) << at;
    }
}

TEST(sealed_inbound_refusal_test, a_frame_played_again_or_out_of_order_ends_the_connection)
{
    const std::string first = toy::frame(0, 0, "first"), second = toy::frame(1, 0, "second");
    for (const std::string& wire : {first + first, first + second + second, first + second + first}) {
        EXPECT_EQ(toy::opener::bad_number, refuse(wire).why);
    }
    EXPECT_EQ(toy::opener::bad_number, refuse(second + first).why);
    EXPECT_EQ(toy::opener::bad_number, refuse(first + toy::frame(2, 0, "third")).why);
}

TEST(sealed_inbound_refusal_test, a_frame_that_is_not_sealed_ends_the_connection)
{
    for (const std::string& plain : {encode({"plain"}), encode({""}), encode({pattern_of(300)}),
                                     command_frame("\4PING.."), command_frame("\5READY")}) {
        const refusal r = refuse(toy::frame(0, 0, "good") + plain);
        EXPECT_EQ(errc::protocol_error, r.error);
        EXPECT_EQ(toy::opener::bad_name, r.why);
        EXPECT_EQ((messages{{"good"}}), r.before);
    }
}

TEST(sealed_inbound_refusal_test, a_frame_too_short_to_be_sealed_ends_the_connection)
{
    const std::string whole = toy::frame(0, 0, "").substr(2);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const std::string wire = std::string{'\0', char(size)} + whole.substr(0, size) + toy::frame(0, 0, "next");
        const refusal r = refuse(wire);
        EXPECT_EQ(errc::protocol_error, r.error) << size;
        EXPECT_EQ(size < toy::name.size() ? toy::opener::bad_name : toy::opener::bad_size, r.why) << size;
    }
}

TEST(sealed_inbound_refusal_test, a_large_frame_that_does_not_open_ends_the_connection)
{
    std::string wire = toy::frame(0, 0, "good") + toy::frame(1, 0, pattern_of(100'000));
    wire.back() = char(wire.back() + 1);
    const refusal r = refuse(wire);
    EXPECT_EQ(errc::protocol_error, r.error);
    EXPECT_EQ(toy::opener::bad_checksum, r.why);
    EXPECT_EQ((messages{{"good"}}), r.before);
}

TEST(sealed_inbound_refusal_test, flags_that_do_not_exist_end_the_connection)
{
    for (const std::size_t size : {std::size_t{3}, std::size_t{100'000}}) {
        for (int flags = 0; flags < 256; ++flags) {
            const bool known = flags == 0 || flags == message::flag_more || flags == message::flag_command;
            const std::string wire = toy::frame(0, 0, "good") + toy::frame(1, std::uint8_t(flags), pattern_of(size));
            if (known) {
                opening_lane l;
                EXPECT_EQ(outcome::done, l.come(wire)) << flags;
                continue;
            }
            if (size > 3 && flags > 16) continue;
            const refusal r = refuse(wire);
            EXPECT_EQ(errc::protocol_error, r.error) << flags;
            EXPECT_EQ((messages{{"good"}}), r.before) << flags;
        }
    }
    // And those outside.
    for (int flag = 8; flag < 256; flag *= 2) {
        const std::string frame = toy::frame(1, 0, "bad");
        EXPECT_EQ(errc::protocol_error, refuse(toy::frame(0, 0, "good") + char(flag) + frame.substr(1)).error);
    }
}

TEST(sealed_inbound_refusal_test, the_limit_holds_for_opened_frames)
{
    for (const std::size_t limit : {0, 1, 222, 223, 255, 256, 1000, 100'000}) {
        frame_limits limits;
        limits.max_msg_size = std::int64_t(limit);
        limits.large_from = 500;
        const std::string good = toy::frame(0, 1, pattern_of(limit)) + toy::frame(1, 0, "");
        for (const std::size_t step : {std::size_t{1}, good.size()}) {
            opening_lane l(limits);
            EXPECT_EQ(outcome::done, l.come(good, step)) << limit;
            EXPECT_EQ((messages{{pattern_of(limit), ""}}), l.lane.take_all());
        }
        const refusal r = refuse(good + toy::frame(2, 0, pattern_of(limit + 1)), limits);
        EXPECT_EQ(errc::message_too_long, r.error) << limit;
        EXPECT_EQ(reason::none, r.why);
        EXPECT_EQ((messages{{pattern_of(limit), ""}}), r.before);
    }
    for (const std::int64_t limit : {std::numeric_limits<std::int64_t>::max(), std::int64_t{-1}}) {
        frame_limits limits;
        limits.max_msg_size = limit;
        EXPECT_EQ(errc::message_too_long, refuse(std::string("\2\xff\0\0\0\0\0\0\0x", 10), limits).error);
    }
}

// As of plain commands: they are kept whole, so they are not of any size.
TEST(sealed_inbound_refusal_test, a_command_that_is_too_long_to_keep_ends_the_connection)
{
    const std::size_t most = frame_intake::largest_kept;
    opening_lane l;
    EXPECT_EQ(outcome::done, l.come(toy::frame(0, message::flag_command, pattern_of(most))));
    ASSERT_EQ(1u, l.commands.size());
    EXPECT_TRUE(pattern_of(most) == l.commands[0]);
    EXPECT_EQ(outcome::failed, l.come(toy::frame(1, message::flag_command, pattern_of(most + 1))));
    EXPECT_EQ(errc::protocol_error, l.in.error());
    EXPECT_EQ(1u, l.commands.size());
}

// The thread that handles the command meets what is behind it, and opens nothing a second time.
TEST(sealed_inbound_refusal_test, a_forged_frame_behind_a_command_ends_the_connection_behind_it)
{
    const std::string wire = toy::frame(0, 0, "a") + toy::frame(1, message::flag_command, "\4PING..") +
                             toy::frame(2, 0, "b") + toy::frame(7, 0, "forged") + toy::frame(3, 0, "c");
    opening_lane l;
    std::string_view octets = wire;
    ASSERT_EQ(outcome::command, l.come_once(octets, false));
    EXPECT_EQ(errc::none, l.in.error());
    EXPECT_EQ((messages{{"a"}}), l.lane.take_all());
    ASSERT_EQ(outcome::failed, l.come_once(octets));
    EXPECT_EQ(errc::protocol_error, l.in.error());
    EXPECT_EQ(toy::opener::bad_number, l.in.reason());
    EXPECT_EQ(1u, l.commands.size());
    EXPECT_EQ((messages{{"b"}}), l.lane.take_all());
}

// The next connection starts with whole messages.
TEST(sealed_inbound_refusal_test, a_connection_that_ends_within_a_message_leaves_nothing_of_it)
{
    const parts cut{"a", pattern_of(400), "b"};
    const std::string before = sealed(encode({"before"}));
    const std::string wire = sealed(encode({"before"}) + encode(cut));
    frame_limits limits;
    limits.large_from = 300;
    for (std::size_t offset = before.size(); offset < wire.size(); ++offset) {
        opening_lane l(limits);
        EXPECT_EQ(outcome::done, l.come(wire.substr(0, offset)));
        l.lane.writer.rollback();
        l.lane.put({"next"});
        EXPECT_EQ((messages{{"before"}, {"next"}}), l.lane.take_all()) << offset;
    }
}

// --- memory
// -----------------------------------------------------------------------------------------------------------

TEST(sealed_inbound_refusal_test, an_announced_length_alone_costs_nothing)
{
    if (!zlink::test::tells_of_allocations) GTEST_SKIP() << "this C library does not tell what is allocated";
    const std::size_t before = zlink::test::allocated();
    std::vector<std::unique_ptr<opening_lane>> many;
    for (int i = 0; i < 20; ++i) {
        many.push_back(std::make_unique<opening_lane>());
        EXPECT_EQ(outcome::done,
                  many.back()->come(std::string("\2\0\0\1\0\0\0\0\0", 9) + "some octets"));  // a terabyte
    }
    EXPECT_GT(before + 20 * (large_body::allocated_at_once + 256 * 1024), zlink::test::allocated());
}

// Frames that wait for another thread are kept once, however often that is asked for.
TEST(sealed_inbound_refusal_test, what_waits_behind_a_command_takes_its_own_size)
{
    if (!zlink::test::tells_of_allocations) GTEST_SKIP() << "this C library does not tell what is allocated";
    std::string plain = command_frame("\4PING..");
    for (int i = 0; i < 80; ++i) plain += encode({pattern_of(60)});
    const std::string wire = sealed(plain);
    opening_lane l;
    std::string_view octets = wire;
    ASSERT_EQ(outcome::command, l.come_once(octets, false));
    ASSERT_EQ(outcome::command, l.come_once(octets, false));
    const std::size_t before = zlink::test::allocated();
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(outcome::command, l.come_once(octets, false));
    EXPECT_GT(before + 64 * 1024, zlink::test::allocated());
    EXPECT_EQ(81u, l.opened.frames);
}

}  // namespace
}  // namespace zlink::wire::test
