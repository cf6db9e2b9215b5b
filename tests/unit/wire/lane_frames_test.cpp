// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Frames among the octets of a lane: whole ones alone, in order, wherever chunks and large bodies divide them.
#include "wire/lane_frames.hpp"

#include "unit/pipe/lane_fixture.hpp"

#include <gtest/gtest.h>

namespace zlink::wire {
namespace {

using pipe::test::joined_lane;
using pipe::test::parts;
using pipe::test::pattern_of;

class lane_frames_test : public testing::Test {
protected:
    lane_frames_test() { lane_.reader.begin_octets(); }

    /// The bodies that are shown now; those that are followed by others of their message end with a plus.
    [[nodiscard]] parts shown(std::size_t& octets)
    {
        parts bodies;
        lane_frames frames(lane_.reader);
        for (lane_frames::found f; frames.next(f); octets += f.octets) {
            bodies.emplace_back(reinterpret_cast<const char*>(f.body.data()), f.body.size());
            if (f.more) bodies.back() += '+';
        }
        return bodies;
    }
    [[nodiscard]] parts shown()
    {
        std::size_t octets = 0;
        return shown(octets);
    }

    joined_lane lane_;
};

TEST_F(lane_frames_test, an_empty_lane_has_none)
{
    EXPECT_EQ(parts{}, shown());
}

TEST_F(lane_frames_test, are_shown_in_order_and_stay)
{
    lane_.put({"one"});
    lane_.put({"two", "", "parts"});
    const parts all{"one", "two+", "+", "parts"};
    std::size_t octets = 0;
    EXPECT_EQ(all, shown(octets));
    EXPECT_EQ(pipe::test::encode({"one"}).size() + pipe::test::encode({"two", "", "parts"}).size(), octets);
    EXPECT_EQ(all, shown()) << "nothing was taken";
}

TEST_F(lane_frames_test, a_large_body_is_in_a_piece_of_its_own)
{
    const std::string large = pattern_of(100'000);
    lane_.put({"before", large});
    lane_.put({"behind"});
    EXPECT_EQ((parts{"before+", large, "behind"}), shown());
}

TEST_F(lane_frames_test, sizes_around_every_limit_are_whole)
{
    parts expected;
    for (const std::size_t size : pipe::test::telling_sizes) {
        lane_.put({pattern_of(size, size)});
        expected.push_back(pattern_of(size, size));
    }
    std::size_t taken = 0;
    while (taken < expected.size()) {
        std::size_t octets = 0;
        const parts some = shown(octets);
        ASSERT_FALSE(some.empty());
        for (const std::string& body : some) ASSERT_EQ(expected[taken++], body);
        (void)lane_.reader.commit(octets);
    }
}

TEST_F(lane_frames_test, what_is_not_published_is_not_shown)
{
    lane_.put({"one"});
    lane_.write("two", false);
    EXPECT_EQ(parts{"one"}, shown());
    lane_.writer.publish();
    EXPECT_EQ((parts{"one", "two"}), shown());
}

}  // namespace
}  // namespace zlink::wire
