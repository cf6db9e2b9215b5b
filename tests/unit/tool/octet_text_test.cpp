// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pure/octet_text.hpp"

#include <gtest/gtest.h>

namespace zlink::tool {

TEST(octet_text_test, text_is_shown_as_it_is_and_the_rest_as_digits)
{
    EXPECT_EQ(shown_octets("hello", 10), "'hello'");
    EXPECT_EQ(shown_octets("", 10), "''");
    EXPECT_EQ(shown_octets("hello", 2), "'he'...");
    EXPECT_EQ(shown_octets(std::string_view("\0\x1b\xff", 3), 10), "0x001bff");
    EXPECT_EQ(shown_octets("a\n", 1), "'a'...");
}

TEST(octet_text_test, one_octet_is_not_several)
{
    EXPECT_EQ(octets_text(1), "1 octet");
    EXPECT_EQ(octets_text(0), "0 octets");
}

}  // namespace zlink::tool
