// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Recognizes the first octets of TLS, however they are cut, and nothing else.
#include "zmtp/foreign_record.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace zlink::zmtp {
namespace {

using namespace std::string_view_literals;

std::size_t look(foreign_record& at, std::string_view octets)
{
    return at.advance(std::as_bytes(std::span(octets)));
}

TEST(foreign_record_test, alerts_and_hellos_of_all_versions_are_recognized)
{
    for (const auto octets :
         {"\x15\x03\x01\0\x02\x02\x46"sv, "\x16\x03\x01\x02\0"sv, "\x16\x03\x04"sv, "\x15\x03\x00"sv}) {
        foreign_record whole, cut;
        EXPECT_EQ(3u, look(whole, octets));
        EXPECT_EQ(0u, look(cut, octets.substr(0, 1)));
        EXPECT_EQ(0u, look(cut, octets.substr(1, 1)));
        EXPECT_EQ(1u, look(cut, octets.substr(2)));
    }
}

TEST(foreign_record_test, frames_of_zmtp_1_0_are_none)
{
    for (const auto octets : {"\x16\0identity of 21 octets"sv, "\x15\x01more"sv, "\x16\x03\x05"sv,
                              "\x01\0\x16\x03\x01"sv, "\xff\0\0\0\0\0\0\0\x01\x7f"sv}) {
        foreign_record record;
        EXPECT_EQ(0u, look(record, octets));
        EXPECT_EQ(0u, look(record, "\x16\x03\x01"sv)) << "only at the beginning";
    }
}

}  // namespace
}  // namespace zlink::zmtp
