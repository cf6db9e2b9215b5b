// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Scanning frames as a connection's reader does.
#include "zmtp/frame_scanner.hpp"

#include "unit/zmtp/octets.hpp"

#include <gtest/gtest.h>

using namespace zlink;
using namespace zlink::zmtp;
using namespace zlink::zmtp::test;

namespace {

using stop = frame_scanner::stop;

/// An outcome with offsets in place of pointers; -1 for none.
struct found {
    std::ptrdiff_t frames_end;
    std::ptrdiff_t messages_end;
    std::uint32_t messages;
    stop why;

    bool operator==(const found&) const = default;
};

void PrintTo(const found& f, std::ostream* out)
{
    *out << "{frames_end " << f.frames_end << ", messages_end " << f.messages_end << ", messages " << f.messages
         << ", stop " << int(f.why) << '}';
}

found scan(std::span<const std::byte> in, std::int64_t limit = -1)
{
    const auto out = frame_scanner(limit).scan(in.data(), in.data() + in.size());
    return {out.frames_end - in.data(), out.messages_end ? out.messages_end - in.data() : -1, out.messages, out.why};
}

octets long_size(std::uint64_t size)
{
    octets out(8);
    store_be64(out.data(), size);
    return out;
}

TEST(frame_scanner_test, finds_nothing_in_nothing)
{
    EXPECT_EQ(scan({}), (found{0, -1, 0, stop::end}));
}

TEST(frame_scanner_test, counts_messages_not_frames)
{
    EXPECT_EQ(scan(wire({0, 5, "hello"})), (found{7, 7, 1, stop::end}));
    EXPECT_EQ(scan(wire({0, 0, 0, 0, 0, 0})), (found{6, 6, 3, stop::end}));
    EXPECT_EQ(scan(wire({1, 1, "a", 1, 0, 0, 1, "c", 0, 1, "d"})), (found{11, 11, 2, stop::end}));
    EXPECT_EQ(scan(wire({0, 1, "a", 1, 1, "b"})), (found{6, 3, 1, stop::end}));
    EXPECT_EQ(scan(wire({1, 1, "b"})), (found{3, -1, 0, stop::end}));
}

TEST(frame_scanner_test, reads_both_length_forms)
{
    EXPECT_EQ(scan(wire({2, long_size(300), std::string(300, 'x'), 0, 1, "y"})), (found{312, 312, 2, stop::end}));
    EXPECT_EQ(scan(wire({3, long_size(1), "x", 2, long_size(0)})), (found{19, 19, 1, stop::end}));
    EXPECT_EQ(scan(wire({0, 255, std::string(255, 'x')})), (found{257, 257, 1, stop::end}));
}

TEST(frame_scanner_test, stops_before_an_incomplete_frame_wherever_it_is_cut)
{
    const octets first = wire({0, 1, "a"});
    for (const octets& last :
         {wire({0, 5, "hello"}), wire({2, long_size(5), "hello"}), wire({4, 7, 4, "PING", 0, 0})}) {
        const std::size_t header = last[0] == std::byte{2} ? 9 : 2;
        for (std::size_t cut = 1; cut < last.size(); ++cut) {
            const octets in = wire({first, octets(last.begin(), last.begin() + std::ptrdiff_t(cut))});
            EXPECT_EQ(scan(in), (found{3, 3, 1, cut < header ? stop::partial_header : stop::partial_body})) << cut;
        }
    }
}

TEST(frame_scanner_test, tells_the_header_of_an_incomplete_body)
{
    const octets in = wire({3, long_size(std::uint64_t{1} << 40), "start"});
    const auto out = frame_scanner(-1).scan(in.data(), in.data() + in.size());
    EXPECT_EQ(out.why, stop::partial_body);
    EXPECT_EQ(out.header.body_size, std::uint64_t{1} << 40);
    EXPECT_EQ(out.header.size, 9);
    EXPECT_EQ(out.header.flags, 3);
}

TEST(frame_scanner_test, stops_at_a_complete_command)
{
    const octets in = wire({0, 1, "a", 4, 7, 4, "PING", 0, 0, 0, 1, "b"});
    const auto out = frame_scanner(-1).scan(in.data(), in.data() + in.size());
    EXPECT_EQ(scan(in), (found{3, 3, 1, stop::command}));
    EXPECT_EQ(out.header.size, 2);
    EXPECT_EQ(out.header.body_size, 7u);
    EXPECT_EQ(scan(wire({6, long_size(300), std::string(300, 'c')})), (found{0, -1, 0, stop::command}));
    EXPECT_EQ(scan(wire({4, 0})), (found{0, -1, 0, stop::command}));
}

TEST(frame_scanner_test, refuses_reserved_bits_and_more_on_commands)
{
    for (int flags = 0; flags < 256; ++flags) {
        const bool bad = (flags & 0xf8) != 0 || (flags & 5) == 5;
        if (!bad) continue;
        EXPECT_EQ(scan(wire({0, 1, "a", flags})), (found{3, 3, 1, stop::reserved_bits})) << flags;
        EXPECT_EQ(scan(wire({flags, 1, "a"})).why, stop::reserved_bits) << flags;
    }
}

TEST(frame_scanner_test, refuses_bodies_past_the_limit_before_they_arrive)
{
    EXPECT_EQ(scan(wire({0, 5, "hello"}), 5).why, stop::end);
    EXPECT_EQ(scan(wire({0, 6}), 5), (found{0, -1, 0, stop::too_long}));
    EXPECT_EQ(scan(wire({2, long_size(6)}), 5), (found{0, -1, 0, stop::too_long}));
    EXPECT_EQ(scan(wire({0, 5, "hello", 0, 6}), 5), (found{7, 7, 1, stop::too_long}));
    EXPECT_EQ(scan(wire({0, 0}), 0).why, stop::end);
    EXPECT_EQ(scan(wire({0, 1, "a"}), 0).why, stop::too_long);
    EXPECT_EQ(scan(wire({2, long_size(1000), std::string(1000, 'x')}), 1000).why, stop::end);
    EXPECT_EQ(scan(wire({4, 6}), 5).why, stop::too_long);
}

TEST(frame_scanner_test, refuses_bodies_that_no_length_can_hold)
{
    EXPECT_EQ(scan(wire({2, long_size(std::uint64_t{1} << 63)})).why, stop::too_long);
    EXPECT_EQ(scan(wire({2, long_size(~std::uint64_t{0})})).why, stop::too_long);
    EXPECT_EQ(scan(wire({2, long_size((std::uint64_t{1} << 63) - 1)})).why, stop::partial_body);
}

}  // namespace
