// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The octets of a stream before they are frames: where they go, which stay for the next read, and in what order.
#include "wire/frame_intake.hpp"

#include "unit/pipe/lane_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

namespace zlink::wire {
namespace {

using pipe::test::pattern_of;

class frame_intake_test : public testing::Test {
protected:
    explicit frame_intake_test(const frame_limits& l = {}) : intake_(l) {}

    static frame_intake::octets octets_of(std::string& text)
    {
        auto* const begin = reinterpret_cast<std::byte*>(text.data());
        return {begin, begin + text.size()};
    }
    static std::string text_of(const frame_intake::octets& all)
    {
        return pipe::test::text(all.begin, std::size_t(all.end - all.begin));
    }

    /// The next read brings these octets; returns how many there was room for.
    std::size_t read(std::string_view octets)
    {
        EXPECT_TRUE(intake_.prepare(arena_, lane_.writer, spare_, room_));
        std::size_t got = 0;
        for (int i = 0; i < room_.count; ++i) {
            const std::size_t n = std::min(room_.pieces[i].iov_len, octets.size() - got);
            std::memcpy(room_.pieces[i].iov_base, octets.data() + got, n);
            got += n;
        }
        return got;
    }
    /// The same, and what has to be looked at then.
    std::string shown(std::string_view octets) { return text_of(intake_.place(read(octets), arena_)); }

    frame_intake intake_;
    receive_arena arena_;
    pipe::test::joined_lane lane_;
    inbound::scratch spare_;
    inbound::room room_{};
};

TEST_F(frame_intake_test, shows_the_octets_of_a_read)
{
    EXPECT_EQ("abc", shown("abc"));
    EXPECT_FALSE(intake_.looked_at(3, false));
    EXPECT_FALSE(intake_.has_unread());
    EXPECT_FALSE(intake_.in_large());
    EXPECT_FALSE(intake_.collects());
}

TEST_F(frame_intake_test, shows_the_beginning_of_a_frame_before_the_octets_of_the_next_read)
{
    std::string part = "begin";
    ASSERT_TRUE(intake_.keep_partial(octets_of(part), 3));
    EXPECT_EQ("beginend", shown("end"));
    EXPECT_EQ("next", shown("next")) << "once";
}

TEST_F(frame_intake_test, octets_that_were_read_before_are_looked_at_without_another_read)
{
    ASSERT_TRUE(intake_.feed(std::as_bytes(std::span(std::string_view("early")))));
    EXPECT_TRUE(intake_.has_unread());
    EXPECT_EQ(0u, read("later"));
    EXPECT_EQ(0, room_.count);
    EXPECT_EQ("early", text_of(intake_.place(0, arena_)));
    EXPECT_FALSE(intake_.has_unread());
}

TEST_F(frame_intake_test, nothing_is_unread_if_no_octet_was_read_before)
{
    ASSERT_TRUE(intake_.feed({}));
    EXPECT_FALSE(intake_.has_unread());
}

TEST_F(frame_intake_test, octets_in_two_places_are_kept_in_order)
{
    std::string one = "one", two = "two";
    ASSERT_TRUE(intake_.keep_unread(octets_of(one), octets_of(two)));
    EXPECT_TRUE(intake_.has_unread());
    EXPECT_EQ("onetwo", shown(""));
}

// A peer that sends an octet at a time does not cause a copy of everything each time.
TEST_F(frame_intake_test, a_long_frame_that_comes_slowly_is_collected_behind_its_beginning)
{
    std::string frame = pattern_of(20'000);
    ASSERT_EQ("x", shown("x"));
    ASSERT_TRUE(intake_.keep_partial(octets_of(frame), 2));
    EXPECT_FALSE(intake_.looked_at(1, false));
    ASSERT_TRUE(intake_.collects());

    EXPECT_EQ(inbound::outcome::done, intake_.collect(read("y"), spare_));
    EXPECT_TRUE(intake_.collects());
    EXPECT_EQ(inbound::outcome::again, intake_.collect(read("z"), spare_)) << "it is whole";
    EXPECT_FALSE(intake_.collects());
    EXPECT_TRUE(intake_.has_unread());
    EXPECT_EQ(frame + "yz", shown(""));
}

class small_large_bodies_test : public frame_intake_test {
protected:
    small_large_bodies_test() : frame_intake_test({.large_from = 100}) {}
};

TEST_F(small_large_bodies_test, bodies_are_large_from_the_limit_on)
{
    EXPECT_FALSE(intake_.is_large(99));
    EXPECT_TRUE(intake_.is_large(100));
}

TEST_F(small_large_bodies_test, a_large_body_comes_into_memory_of_its_own)
{
    const std::string body = pattern_of(300);
    std::string there = body.substr(0, 100);
    ASSERT_TRUE(intake_.begin_large({0, message::long_header_size, body.size()}, octets_of(there)));
    EXPECT_TRUE(intake_.in_large());

    frame_intake::octets behind{};
    EXPECT_FALSE(intake_.add_to_large(read(std::string_view(body).substr(100, 50)), arena_, behind));
    EXPECT_TRUE(intake_.add_to_large(read(body.substr(150) + "behind"), arena_, behind));
    EXPECT_EQ("behind", text_of(behind));
    message::frame_header header{};
    message::buffer* const whole = intake_.take_large(header);
    EXPECT_EQ(body.size(), header.body_size);
    EXPECT_EQ(body, pipe::test::text(whole->data(), body.size()));
    EXPECT_FALSE(intake_.in_large());
    whole->release();
}

}  // namespace
}  // namespace zlink::wire
