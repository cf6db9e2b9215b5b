// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sealed frames behind each other: their order and place, memory that grows and shrinks, and frames sealed in place.
#include "wire/sealed_octets.hpp"

#include "unit/pipe/lane_fixture.hpp"
#include "wire/zws_octets.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::wire {
namespace {

using pipe::test::encode;
using pipe::test::parts;
using pipe::test::pattern_of;

/// Puts the flags, as a digit, and a number before the body.
class numbering final : public zmtp::sealer {
public:
    [[nodiscard]] std::size_t overhead() const noexcept override { return 2; }
    void seal(std::span<const zmtp::frame_to_seal> frames) noexcept override
    {
        for (const zmtp::frame_to_seal& f : frames) {
            f.to[0] = std::byte('0' + f.flags);
            f.to[1] = std::byte('a' + next_++ % 26);
            std::copy(f.body.begin(), f.body.end(), f.to + 2);
        }
    }

private:
    int next_ = 0;
};

class sealed_octets_test : public testing::Test {
protected:
    /// Seals them in one call.
    void append(const parts& bodies)
    {
        std::vector<zmtp::frame_to_seal> frames;
        std::size_t octets = 0;
        for (const std::string& body : bodies) {
            frames.push_back({std::uint8_t(&body != &bodies.back() ? message::flag_more : 0),
                              std::as_bytes(std::span(body)), nullptr});
            octets += sealed_.size_of(body.size());
        }
        sealed_.append(frames, octets);
    }
    [[nodiscard]] std::string octets() const
    {
        return {reinterpret_cast<const char*>(sealed_.octets().data()), sealed_.octets().size()};
    }

    sealed_octets sealed_{std::make_unique<numbering>()};
};

TEST_F(sealed_octets_test, lie_behind_each_other_in_frames_without_flags)
{
    append({"one", "two"});
    append({"three"});
    EXPECT_EQ(encode({"1aone"}) + encode({"0btwo"}) + encode({"0cthree"}), octets());
}

TEST_F(sealed_octets_test, keep_what_is_there_when_memory_grows)
{
    std::string expected;
    for (int i = 0; i < 10; ++i) {
        const std::string body = pattern_of(std::size_t(1) << (2 * i), std::size_t(i));
        append({body});
        expected += encode({"0" + std::string(1, char('a' + i)) + body});
        ASSERT_EQ(expected, octets()) << i;
    }
}

TEST_F(sealed_octets_test, begin_anew_after_they_are_gone)
{
    append({pattern_of(5'000'000)});
    sealed_.clear();
    EXPECT_TRUE(sealed_.octets().empty());
    append({"small"});
    EXPECT_EQ(encode({"0bsmall"}), octets());
    sealed_.shrink(0);
    EXPECT_TRUE(sealed_.octets().empty());
    append({"again"});
    EXPECT_EQ(encode({"0cagain"}), octets());
}

TEST_F(sealed_octets_test, whole_frames_are_sealed_in_place)
{
    const std::string frames = encode({"one", pattern_of(1000)}) + encode({""});
    std::vector<std::byte> in_place(frames.size());
    std::memcpy(in_place.data(), frames.data(), frames.size());
    sealed_.seal_in_place(in_place);
    EXPECT_EQ(encode({"1aone"}) + encode({"0b" + pattern_of(1000)}) + encode({"0c"}),
              std::string(reinterpret_cast<const char*>(in_place.data()), in_place.size()));
    EXPECT_TRUE(sealed_.octets().empty()) << "they lie elsewhere";
    append({"later"});
    EXPECT_EQ(encode({"0dlater"}), octets());
}

TEST_F(sealed_octets_test, a_frame_among_others_is_found_with_its_flags)
{
    const std::string frames = encode({"one", "two"});
    const auto octets = std::as_bytes(std::span(frames));
    const auto first = sealed_octets::frame_at(octets, 0);
    EXPECT_EQ(message::flag_more, first.flags);
    EXPECT_EQ(3u, first.body.size());
    const auto second = sealed_octets::frame_at(octets, encode({"one"}).size());
    EXPECT_EQ(0, second.flags);
    EXPECT_EQ(std::byte{'t'}, second.body.front());
}

TEST_F(sealed_octets_test, a_long_frame_among_others_has_no_flag_for_its_length)
{
    const std::string frame = encode({pattern_of(300)});
    EXPECT_EQ(0, sealed_octets::frame_at(std::as_bytes(std::span(frame)), 0).flags);
}

TEST_F(sealed_octets_test, the_size_of_a_frame_depends_on_its_form)
{
    EXPECT_EQ(2u + 2 + 100, sealed_.size_of(100));
    EXPECT_EQ(9u + 2 + 300, sealed_.size_of(300));
    const sealed_octets zws(std::make_unique<numbering>(), &zws_form(true));
    EXPECT_EQ(header_size(&zws_form(true), 102) + 2 + 100, zws.size_of(100));
}

}  // namespace
}  // namespace zlink::wire
