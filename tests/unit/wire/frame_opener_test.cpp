// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sealed frames in memory: opened in place and behind each other, up to the first that is not whole or not good.
#include "wire/frame_opener.hpp"

#include "fuzz/toy_sealing.hpp"
#include "unit/pipe/lane_fixture.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace zlink::wire {
namespace {

using pipe::test::encode;
using pipe::test::parts;
using presence = frame_opener::presence;
using reason = zmtp::handshake_error;

class frame_opener_test : public testing::Test {
protected:
    void come(const std::string& sealed) { memory_ = sealed; }
    /// Frames of the peer with these bodies, the next ones.
    std::string all_sealed(const std::vector<std::string>& bodies)
    {
        std::string all;
        for (const std::string& body : bodies) all += sealed(body);
        return all;
    }
    /// A frame of the peer, the next one.
    std::string sealed(const std::string& body, std::uint8_t flags = 0) { return toy::frame(number_++, flags, body); }

    frame_opener::opening open(std::int64_t most = -1)
    {
        opener_.emplace(std::make_unique<toy::opener>(&done_), most);
        return open_again();
    }
    frame_opener::opening open_again() { return opener_->open_all({begin(), begin() + memory_.size()}); }

    [[nodiscard]] std::string opened(const frame_opener::opening& out)
    {
        return pipe::test::text(begin(), std::size_t(out.opened - begin()));
    }
    [[nodiscard]] std::size_t rest(const frame_opener::opening& out)
    {
        return std::size_t(begin() + memory_.size() - out.rest);
    }
    [[nodiscard]] std::byte* begin() { return reinterpret_cast<std::byte*>(memory_.data()); }

    std::string memory_;
    std::uint64_t number_ = 0;
    toy::tally done_;
    std::optional<frame_opener> opener_;
};

TEST_F(frame_opener_test, knows_how_much_longer_sealed_bodies_are)
{
    (void)open();
    EXPECT_EQ(toy::overhead, opener_->overhead());
    EXPECT_EQ((std::uint64_t{1} << 63) - 1, opener_->largest_sealed()) << "no limit but that of frames";
    (void)open(100);
    EXPECT_EQ(100 + toy::overhead, opener_->largest_sealed());
}

TEST_F(frame_opener_test, opens_all_frames_in_one_call_and_in_place)
{
    const std::string first = sealed("a", message::flag_more);
    come(first + all_sealed({std::string(300, 'b'), ""}));
    const auto out = open();
    EXPECT_EQ(encode({"a", std::string(300, 'b')}) + encode({""}), opened(out));
    EXPECT_EQ(0u, rest(out));
    EXPECT_EQ(presence::no_header, out.next);
    EXPECT_EQ(errc::none, opener_->error());
    EXPECT_EQ(3u, done_.frames);
    EXPECT_EQ(1u, done_.calls);
}

TEST_F(frame_opener_test, opens_more_frames_than_one_call_takes)
{
    std::vector<std::string> bodies;
    std::string expected;
    for (int i = 0; i < 300; ++i) expected += encode({bodies.emplace_back(std::to_string(i))});
    come(all_sealed(bodies));
    EXPECT_EQ(expected, opened(open()));
    EXPECT_EQ(300u, done_.frames);
    EXPECT_GT(300u, done_.calls);
}

TEST_F(frame_opener_test, stops_before_a_frame_that_is_not_whole)
{
    const std::string first = sealed("a"), second = sealed(std::string(300, 'b'));
    for (const std::size_t there : {std::size_t{0}, std::size_t{1}, std::size_t{8}}) {
        come(first + second.substr(0, there));
        const auto out = open();
        EXPECT_EQ(encode({"a"}), opened(out));
        EXPECT_EQ(there, rest(out));
        EXPECT_EQ(presence::no_header, out.next) << there;
    }
    come(first + second.substr(0, second.size() - 1));
    const auto out = open();
    EXPECT_EQ(presence::no_body, out.next);
    EXPECT_EQ(300 + toy::overhead, out.header.body_size);
    EXPECT_EQ(errc::none, opener_->error());
}

TEST_F(frame_opener_test, what_came_before_a_forged_frame_is_opened_and_nothing_after_it)
{
    const std::string good = sealed("a");
    std::string forged = sealed("b");
    forged.back() ^= 1;
    come(good + forged + sealed("c"));
    EXPECT_EQ(encode({"a"}), opened(open()));
    EXPECT_EQ(errc::protocol_error, opener_->error());
    EXPECT_EQ(toy::opener::bad_checksum, opener_->reason());
    EXPECT_EQ("", opened(open_again()));
    EXPECT_EQ(errc::protocol_error, opener_->error());
}

TEST_F(frame_opener_test, refuses_reserved_bits_outside_the_seal)
{
    std::string odd = sealed("b");
    odd.front() |= char(0x80);
    come(odd);
    EXPECT_EQ(presence::bad, open().next);
    EXPECT_EQ(errc::protocol_error, opener_->error());
    EXPECT_EQ(reason::none, opener_->reason());
}

TEST_F(frame_opener_test, refuses_reserved_bits_inside_the_seal)
{
    const std::string good = sealed("a");
    come(good + sealed("b", 0x80));
    EXPECT_EQ(encode({"a"}), opened(open()));
    EXPECT_EQ(errc::protocol_error, opener_->error());
    EXPECT_EQ(reason::zmtp_unspecified, opener_->reason());
}

TEST_F(frame_opener_test, the_limit_is_for_opened_bodies)
{
    come(all_sealed({std::string(10, 'a'), std::string(11, 'b')}));
    const auto out = open(10);
    EXPECT_EQ(encode({std::string(10, 'a')}), opened(out));
    EXPECT_EQ(presence::bad, out.next);
    EXPECT_EQ(errc::message_too_long, opener_->error());
}

TEST_F(frame_opener_test, opens_a_frame_that_lies_elsewhere)
{
    (void)open();
    const std::string whole = sealed("body", message::flag_command);
    const auto header = message::decode_header(reinterpret_cast<const std::byte*>(whole.data()));
    std::string to(whole.size(), '?');
    zmtp::frame_to_open frame{std::as_bytes(std::span(whole)).subspan(header.size),
                              reinterpret_cast<std::byte*>(to.data())};
    ASSERT_EQ(1u, opener_->open({&frame, 1}));
    EXPECT_EQ("body", to.substr(0, frame.size));
    EXPECT_EQ(message::flag_command, frame.flags);
}

}  // namespace
}  // namespace zlink::wire
