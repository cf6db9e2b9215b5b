// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Z85: the example of RFC 32, and texts that are none.
#include "base/z85.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <string>

namespace zlink {
namespace {

// The test case of RFC 32.
constexpr std::array<std::byte, 8> octets{std::byte{0x86}, std::byte{0x4F}, std::byte{0xD2}, std::byte{0x6F},
                                          std::byte{0xB5}, std::byte{0x59}, std::byte{0xF7}, std::byte{0x5B}};
constexpr std::string_view text = "HelloWorld";

TEST(z85_test, encodes_as_the_rfc_says)
{
    std::string digits(z85_size(octets.size()), '?');
    encode_z85(octets, digits.data());
    EXPECT_EQ(text, digits);
}

TEST(z85_test, decodes_as_the_rfc_says)
{
    std::array<std::byte, octets.size()> decoded{};
    EXPECT_TRUE(decode_z85(text, decoded.data()));
    EXPECT_EQ(octets, decoded);
}

TEST(z85_test, keeps_the_limits_of_a_group)
{
    std::array<std::byte, 4> group{};
    std::string digits(5, '?');
    encode_z85(group, digits.data());
    EXPECT_EQ("00000", digits);
    group.fill(std::byte{0xff});
    encode_z85(group, digits.data());
    EXPECT_EQ("%nSc0", digits);
    EXPECT_TRUE(decode_z85("%nSc0", group.data()));
    EXPECT_FALSE(decode_z85("%nSc1", group.data())) << "2^32";
    EXPECT_FALSE(decode_z85("#####", group.data()));
}

TEST(z85_test, refuses_other_lengths_and_characters)
{
    std::array<std::byte, 8> to{};
    EXPECT_TRUE(decode_z85("", to.data()));
    EXPECT_FALSE(decode_z85("Hell", to.data()));
    EXPECT_FALSE(decode_z85("HelloW", to.data()));
    for (const char* bad : {"Hell\"", "Hell ", "Hell\x7f", "Hell\xff", "Hell~", "Hell,"})
        EXPECT_FALSE(decode_z85(bad, to.data())) << bad;
    EXPECT_FALSE(decode_z85(std::string_view("Hell\0", 5), to.data()));
}

}  // namespace
}  // namespace zlink
