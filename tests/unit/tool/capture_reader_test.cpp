// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pure/capture_reader.hpp"

#include "unit/tool/captures.hpp"

#include <cstring>
#include <gtest/gtest.h>

namespace zlink::tool {
namespace {

struct reading {
    std::vector<captured_packet> packets;
    std::string error;
};

reading read_capture(const std::string& octets)
{
    std::size_t at = 0;
    capture_reader reader([&](char* to, std::size_t size) {
        const std::size_t got = std::min(size, octets.size() - at);
        std::memcpy(to, octets.data() + at, got);
        at += got;
        return got;
    });
    reading all;
    captured_packet packet;
    while (reader.next(packet)) {
        all.packets.push_back(packet);
    }
    all.error = reader.error();
    return all;
}

}  // namespace

TEST(capture_reader_test, pcap_in_both_orders_and_both_units)
{
    for (const bool little : {true, false}) {
        for (const bool nanoseconds : {true, false}) {
            const auto all = read_capture(captures::classic({{5, 7, "one"}, {6, 0, ""}}, little, nanoseconds));
            EXPECT_EQ(all.error, "");
            ASSERT_EQ(all.packets.size(), 2U);
            EXPECT_EQ(all.packets[0].at_ns, 5'000'000'000U + (nanoseconds ? 7 : 7000));
            EXPECT_EQ(all.packets[0].octets, "one");
            EXPECT_EQ(all.packets[0].link, 1U);
            EXPECT_EQ(all.packets[0].whole_size, 4U);
            EXPECT_EQ(all.packets[1].octets, "");
        }
    }
}

TEST(capture_reader_test, pcapng_with_blocks_of_all_kinds)
{
    const std::string simple = captures::block(3, std::string("\3\0\0\0abc", 7));
    const std::string old =
        captures::block(2, std::string("\0\0\0\0", 4) + std::string(8, '\0') + std::string("\2\0\0\0\2\0\0\0xy", 10));
    const auto all = read_capture(captures::section() + captures::interface() + captures::enhanced({5, 7, "one"}) +
                                  captures::block(5, "statistics") + simple + old + captures::section() +
                                  captures::interface() + captures::enhanced({8, 0, "two"}));
    EXPECT_EQ(all.error, "");
    ASSERT_EQ(all.packets.size(), 4U);
    EXPECT_EQ(all.packets[0].at_ns, 5'000'000'007U);
    EXPECT_EQ(all.packets[0].octets, "one");
    EXPECT_EQ(all.packets[1].octets, "abc");
    EXPECT_EQ(all.packets[2].octets, "xy");
    EXPECT_EQ(all.packets[3].octets, "two");
}

TEST(capture_reader_test, a_file_that_was_cut_off_says_so)
{
    const std::string classic = captures::classic({{5, 7, "one"}});
    const std::string blocks = captures::section() + captures::interface() + captures::enhanced({5, 7, "one"});
    for (const auto& whole : {classic, blocks}) {
        for (std::size_t size = 0; size < whole.size(); ++size) {
            const auto all = read_capture(whole.substr(0, size));
            EXPECT_TRUE(all.packets.empty());
            const bool at_a_border =
                (whole == classic && size == 24) ||
                (whole == blocks &&
                 (size == captures::section().size() || size == (captures::section() + captures::interface()).size()));
            EXPECT_EQ(all.error.empty(), at_a_border) << size << ' ' << all.error;
        }
    }
    EXPECT_NE(read_capture(classic.substr(0, classic.size() - 1)).error.find("at octet 24"), std::string::npos);
}

TEST(capture_reader_test, what_is_no_capture_or_contradicts_itself_is_refused)
{
    EXPECT_NE(read_capture("ZLINKREC and more").error.find("not a capture"), std::string::npos);
    std::string huge = captures::classic({{5, 7, "one"}});
    huge[24 + 11] = '\x7f';
    EXPECT_NE(read_capture(huge).error.find("a packet of"), std::string::npos);
    const std::string begin = captures::section() + captures::interface();
    EXPECT_NE(read_capture(begin + captures::enhanced({0, 0, "x"}, 3)).error.find("not described"), std::string::npos);
    std::string longer = begin + captures::enhanced({0, 0, "x"});
    longer[begin.size() + 20] = 100;
    EXPECT_NE(read_capture(longer).error.find("longer than its block"), std::string::npos);
    std::string block = begin;
    block[captures::section().size() + 4] = 3;
    EXPECT_NE(read_capture(block).error.find("a block of"), std::string::npos);
}

}  // namespace zlink::tool
