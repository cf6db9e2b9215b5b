// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pure/capture_dialogs.hpp"

#include "unit/tool/packets.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace zlink::tool {
namespace {

using packets::tcp;
using told_lines = std::vector<std::string>;

constexpr unsigned char syn = 2;
constexpr unsigned char syn_ack = 0x12;
constexpr unsigned char rst = 4;
constexpr unsigned char fin = 0x11;

std::string null_greeting()
{
    std::string octets("\xff\0\0\0\0\0\0\0\1\x7f\3\1NULL", 16);
    octets.resize(64);
    return octets;
}

// What is said of these segments: "CONNECTION SIDE SENTENCE".
told_lines told_of(const std::vector<tcp>& segments, capture_dialogs::wishes wanted = {})
{
    told_lines all;
    capture_dialogs dialogs(
        [&](std::uint64_t, std::uint64_t number, int side, const std::string& text) {
            all.push_back(std::to_string(number) + ' ' + std::to_string(side) + ' ' + text);
        },
        wanted);
    for (const auto& each : segments) {
        const std::string octets = packets::ethernet(packets::v4(each));
        dialogs.take({0, 1, octets, std::uint32_t(octets.size())});
    }
    dialogs.end();
    return all;
}

std::vector<tcp> opened(std::uint16_t port = 40000)
{
    return {{.sequence = 99, .flags = syn, .client_port = port},
            {.back = true, .sequence = 499, .flags = syn_ack, .client_port = port}};
}

}  // namespace

TEST(capture_dialogs_test, a_connection_from_its_first_to_its_last_segment)
{
    auto segments = opened();
    segments.push_back({.sequence = 164, .payload = std::string("\0\2hi", 4)});  // before the greeting
    segments.push_back({.sequence = 100, .payload = null_greeting()});
    segments.push_back({.back = true, .sequence = 500, .payload = null_greeting()});
    segments.push_back({.sequence = 168, .flags = fin});
    segments.push_back({.back = true, .sequence = 564, .flags = fin});
    const auto all = told_of(segments);
    ASSERT_EQ(all.size(), 6U);
    EXPECT_EQ(all.front(), "1 0 10.0.0.1:40000 connects to 10.0.0.2:5555");
    EXPECT_NE(std::ranges::find(all, "1 0 message frame, 2 octets: 'hi'"), all.end());
    EXPECT_EQ(all.back(), "1 1 ends the connection");
}

TEST(capture_dialogs_test, a_connection_that_was_captured_from_its_middle_on)
{
    const auto all = told_of({{.sequence = 5, .payload = "xyz"}});
    ASSERT_EQ(all.size(), 2U);
    EXPECT_NE(all[1].find("begins within the connection"), std::string::npos);
}

TEST(capture_dialogs_test, octets_that_are_missing)
{
    auto segments = opened();
    segments.push_back({.sequence = 100, .payload = null_greeting().substr(0, 10)});
    segments.push_back({.sequence = 120, .payload = "later"});
    const auto all = told_of(segments);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_NE(all[1].find("octets are missing in the capture"), std::string::npos);
}

TEST(capture_dialogs_test, a_reset_and_another_connection_between_the_same_ends)
{
    auto segments = opened();
    segments.push_back({.back = true, .sequence = 500, .flags = rst});
    const auto again = opened();
    segments.insert(segments.end(), again.begin(), again.end());
    EXPECT_EQ(told_of(segments),
              (told_lines{"1 0 10.0.0.1:40000 connects to 10.0.0.2:5555", "1 1 breaks the connection off (RST)",
                          "2 0 10.0.0.1:40000 connects to 10.0.0.2:5555"}));
}

TEST(capture_dialogs_test, connections_of_other_ports_are_left_out)
{
    EXPECT_EQ(told_of(opened(), {.port = 80}).size(), 0U);
    EXPECT_EQ(told_of(opened(), {.port = 5555}).size(), 1U);
}

TEST(capture_dialogs_test, two_connections_have_two_numbers)
{
    auto segments = opened();
    const auto other = opened(40001);
    segments.insert(segments.end(), other.begin(), other.end());
    const auto all = told_of(segments);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[1], "2 0 10.0.0.1:40001 connects to 10.0.0.2:5555");
}

}  // namespace zlink::tool
