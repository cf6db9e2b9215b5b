// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "stats/text_escapes.hpp"

#include <gtest/gtest.h>

namespace zlink::stats {

namespace {

std::string json(std::string_view text)
{
    std::string to;
    put_json_string(to, text);
    return to;
}

std::string label(std::string_view text)
{
    std::string to;
    put_label_value(to, text);
    return to;
}

TEST(text_escapes_test, labels_escape_what_ends_them)
{
    EXPECT_EQ(R"("a\\b\"c\nd")", label("a\\b\"c\nd"));
    EXPECT_EQ("\"\xc3\xa4\"", label("\xc3\xa4"));
    EXPECT_EQ("\"\"", label(""));
}

TEST(text_escapes_test, json_escapes_controls)
{
    EXPECT_EQ(R"("a\\b\"c\u000ad\u0000\u007f")", json(std::string_view("a\\b\"c\nd\0\x7f", 9)));
    EXPECT_EQ("\"\xe2\x82\xac\"", json("\xe2\x82\xac"));
}

TEST(text_escapes_test, what_is_not_utf_8_is_replaced)
{
    const std::string r = "\xef\xbf\xbd";
    EXPECT_EQ("\"a" + r + "b\"", json("a\xff"
                                      "b"));
    EXPECT_EQ("\"" + r + "\"", json("\xc3"));                   // cut
    EXPECT_EQ("\"" + r + r + "\"", label("\xc0\x80"));          // overlong
    EXPECT_EQ("\"" + r + r + r + "\"", label("\xed\xa0\x80"));  // a surrogate
    EXPECT_EQ("\"" + r + r + r + r + "\"", label("\xf4\x90\x80\x80"));
    EXPECT_EQ("\"\xf0\x9f\x90\xa7\"", json("\xf0\x9f\x90\xa7"));
}

TEST(text_escapes_test, octets_in_hex)
{
    EXPECT_EQ("00a1ff", hex_of(std::string_view("\0\xa1\xff", 3)));
    EXPECT_EQ("", hex_of(""));
}

}  // namespace

}  // namespace zlink::stats
