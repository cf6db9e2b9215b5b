// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "tools/pure/json_value.hpp"

#include <gtest/gtest.h>

#include <string>

namespace zlink::tool {

namespace {

std::string text_of(const std::string& json)
{
    const auto read = json_value::parse(json);
    return read ? read->text() : "(none)";
}

TEST(json_value_test, reads_each_kind)
{
    const auto all = json_value::parse(R"( {"a": [1, 2.5e3, -4, true, false, null], "b": {"c": "d"}, "a": 7} )");
    ASSERT_TRUE(all);
    EXPECT_EQ(json_value::kind::object, all->type());
    const auto& items = all->member("a")->items();
    ASSERT_EQ(6u, items.size());
    EXPECT_EQ(1u, items[0].number());
    EXPECT_EQ(0u, items[1].number());
    EXPECT_EQ(0u, items[2].number());
    EXPECT_TRUE(items[3].is_true());
    EXPECT_FALSE(items[4].is_true());
    EXPECT_EQ(json_value::kind::boolean, items[4].type());
    EXPECT_EQ(json_value::kind::null, items[5].type());
    EXPECT_EQ("d", all->member("b")->member("c")->text());
    EXPECT_EQ(nullptr, all->member("x"));
    EXPECT_EQ(18446744073709551615u, json_value::parse("18446744073709551615")->number());
    EXPECT_TRUE(json_value::parse("[]")->items().empty());
    EXPECT_TRUE(json_value::parse("{ }"));
}

TEST(json_value_test, texts_have_their_escapes)
{
    EXPECT_EQ("a\"\\/\b\f\n\r\t", text_of(R"("a\"\\\/\b\f\n\r\t")"));
    EXPECT_EQ("\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\xa7", text_of(R"("\u00e4\u20AC\ud83d\udc27")"));
    EXPECT_EQ(std::string(1, '\0'), text_of(R"("\u0000")"));
    EXPECT_EQ("", text_of(R"("")"));
}

TEST(json_value_test, what_is_not_json_is_refused)
{
    for (const auto* const text : {"",
                                   " ",
                                   "[",
                                   "]",
                                   "[1",
                                   "[1,",
                                   "[1,]",
                                   "{",
                                   "{\"a\"",
                                   "{\"a\":",
                                   "{\"a\":1",
                                   "{a:1}",
                                   "{\"a\":1,}",
                                   "\"",
                                   "\"\n\"",
                                   "\"\\x\"",
                                   "\"\\u12\"",
                                   "\"\\ud800\"",
                                   "\"\\ud800\\u0041\"",
                                   "\"\\udc00\"",
                                   "tru",
                                   "nul",
                                   "1 2",
                                   "+-",
                                   "1e",
                                   "\xff"})
        EXPECT_FALSE(json_value::parse(text)) << text;
    EXPECT_TRUE(json_value::parse(std::string(32, '[') + std::string(32, ']')));
    EXPECT_FALSE(json_value::parse(std::string(100'000, '[')));
}

}  // namespace

}  // namespace zlink::tool
