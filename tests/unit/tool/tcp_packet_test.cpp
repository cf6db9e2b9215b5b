// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pure/tcp_packet.hpp"

#include "unit/tool/packets.hpp"

#include <gtest/gtest.h>

namespace zlink::tool {

using std::operator""s;

TEST(tcp_packet_test, a_segment_below_each_kind_of_network)
{
    const packets::tcp sent{.sequence = 7, .flags = 0x11, .payload = "hello"};
    const std::string v4 = packets::v4(sent);
    const std::string ether_type = "\x08\0"s;
    const struct {
        std::uint32_t link;
        std::string packet;
    } rows[]{
        {1, packets::ethernet(v4)},
        {1, std::string(12, '\2') + "\x81\0\0\5"s + ether_type + v4},
        {0, "\2\0\0\0"s + v4},
        {108, "\0\0\0\2"s + v4},
        {101, v4},
        {228, v4},
        {113, std::string(14, '\0') + ether_type + v4},
        {276, ether_type + std::string(18, '\0') + v4},
    };
    for (const auto& row : rows) {
        const auto found = find_tcp(row.link, row.packet, std::uint32_t(row.packet.size()));
        ASSERT_TRUE(found) << row.link;
        EXPECT_TRUE(knows_link(row.link));
        EXPECT_EQ(text_of(found->from), "10.0.0.1:40000");
        EXPECT_EQ(text_of(found->to), "10.0.0.2:5555");
        EXPECT_EQ(found->sequence, 7U);
        EXPECT_TRUE(found->ack && found->fin && !found->syn && !found->rst);
        EXPECT_EQ(found->payload, "hello");
        EXPECT_EQ(found->missing, 0U);
    }
    EXPECT_FALSE(knows_link(105));
}

TEST(tcp_packet_test, addresses_of_ipv6)
{
    const std::string packet = packets::v6({.payload = "x"});
    const auto found = find_tcp(101, packet, 0);
    ASSERT_TRUE(found);
    EXPECT_EQ(text_of(found->from), "[2001:db8::1]:40000");
    EXPECT_EQ(text_of(found->to), "[::1]:5555");
    EXPECT_EQ(text_of(tcp_address{true, {}, 1}), "[::]:1");
    EXPECT_EQ(text_of(tcp_address{true, {0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 4, 0, 5, 0, 6}, 1}), "[1:0:2:0:3:4:5:6]:1");
}

TEST(tcp_packet_test, extensions_of_ipv6_are_passed_over)
{
    std::string packet = packets::v6({.payload = "x"});
    packet[6] = 0;
    packet[5] = static_cast<char>(packet[5] + 8);
    packet.insert(40, "\x06\0\0\0\0\0\0\0"s);
    const auto found = find_tcp(101, packet, 0);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->payload, "x");
}

TEST(tcp_packet_test, padding_is_left_out_and_what_was_cut_off_is_counted)
{
    const std::string whole = packets::ethernet(packets::v4({.payload = "hello"}));
    EXPECT_EQ(find_tcp(1, whole + "padding", std::uint32_t(whole.size() + 7))->payload, "hello");
    const std::string shorter = whole.substr(0, whole.size() - 3);
    const auto cut = find_tcp(1, shorter, std::uint32_t(whole.size()));
    ASSERT_TRUE(cut);
    EXPECT_EQ(cut->payload, "he");
    EXPECT_EQ(cut->missing, 3U);
}

TEST(tcp_packet_test, what_is_something_else_or_cut_short_is_none)
{
    const std::string whole = packets::ethernet(packets::v4({}));
    for (std::size_t size = 0; size < whole.size(); ++size) {
        EXPECT_FALSE(find_tcp(1, whole.substr(0, size), std::uint32_t(size))) << size;
    }
    std::string udp = whole;
    udp[14 + 9] = 17;
    EXPECT_FALSE(find_tcp(1, udp, 0));
    std::string fragment = whole;
    fragment[14 + 6] = 0x20;
    EXPECT_FALSE(find_tcp(1, fragment, 0));
    EXPECT_FALSE(find_tcp(9999, whole, 0));
}

}  // namespace zlink::tool
