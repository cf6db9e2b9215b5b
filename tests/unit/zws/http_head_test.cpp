// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Heads of HTTP messages: where they end, what is refused, and what their fields say.
#include "zws/http_head.hpp"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>

namespace zlink::zws {
namespace {

using state = http_head::state;

std::span<const std::byte> octets(std::string_view text)
{
    return std::as_bytes(std::span(text));
}

http_head read(std::string_view text)
{
    http_head head;
    (void)head.advance(octets(text));
    return head;
}

constexpr std::string_view example = "GET /chat HTTP/1.1\r\n"
                                     "Host: server.example.com\r\n"
                                     "Upgrade:websocket \r\n"
                                     "Connection: keep-alive, Upgrade\r\n"
                                     "connection:  close\r\n"
                                     "Empty:\r\n"
                                     "\r\n";

TEST(http_head_test, ends_with_its_empty_line_however_it_comes)
{
    const std::string all = std::string(example) + "what follows";
    for (std::size_t cut = 0; cut <= example.size(); ++cut) {
        http_head head;
        std::size_t taken = head.advance(octets(std::string_view(all).substr(0, cut)));
        ASSERT_EQ(cut, taken);
        ASSERT_EQ(cut == example.size() ? state::complete : state::in_progress, head.current()) << cut;
        if (cut < example.size()) taken += head.advance(octets(std::string_view(all).substr(cut)));
        ASSERT_EQ(example.size(), taken) << "and takes nothing behind it";
        ASSERT_EQ(state::complete, head.current());
    }
}

TEST(http_head_test, has_a_start_line_and_fields)
{
    const http_head head = read(example);
    EXPECT_EQ("GET /chat HTTP/1.1", head.start_line());
    EXPECT_EQ("server.example.com", head.field("host"));
    EXPECT_EQ("websocket", head.field("upgrade")) << "without the space around it";
    EXPECT_EQ("", head.field("empty"));
    EXPECT_EQ(std::nullopt, head.field("origin"));
    EXPECT_EQ(2u, head.count("connection"));
    EXPECT_EQ(0u, head.count("origin"));
}

TEST(http_head_test, a_list_goes_on_in_the_next_field_of_its_name)
{
    const http_head head = read(example);
    for (const char* word : {"upgrade", "keep-alive", "close", "UPGRADE"})
        EXPECT_TRUE(head.lists("connection", word)) << word;
    EXPECT_FALSE(head.lists("connection", "keep"));
    EXPECT_FALSE(head.lists("upgrade", "upgrade"));
    const auto starts_with_u = [](std::string_view word) { return word.starts_with('U'); };
    EXPECT_EQ("Upgrade", head.first_listed("connection", starts_with_u));
    EXPECT_EQ(std::nullopt, head.first_listed("host", starts_with_u));
}

TEST(http_head_test, lines_that_are_no_fields_are_refused)
{
    for (const char* line : {"no colon", ": no name", "na me: x", "name : x", " folded: x"}) {
        const std::string head = std::string("GET / HTTP/1.1\r\n") + line + "\r\n\r\n";
        EXPECT_EQ(state::malformed, read(head).current()) << line;
    }
}

TEST(http_head_test, a_head_that_is_too_long_is_refused)
{
    const std::string before = "GET / HTTP/1.1\r\nName: ";
    const std::string behind = "\r\n\r\n";
    const std::size_t filled = http_head::longest - before.size() - behind.size();
    EXPECT_EQ(state::complete, read(before + std::string(filled, 'x') + behind).current());
    EXPECT_EQ(state::too_long, read(before + std::string(filled + 1, 'x') + behind).current());
    EXPECT_EQ(state::too_long, read(std::string(http_head::longest + 1, 'x')).current());
}

TEST(http_head_test, words_are_the_same_in_upper_and_lower_case)
{
    EXPECT_TRUE(same_word("WebSocket", "websocket"));
    EXPECT_FALSE(same_word("websocket", "websockets"));
    EXPECT_FALSE(same_word("[", "{")) << "no letters";
    EXPECT_EQ("a b", trimmed(" \ta b\t "));
    EXPECT_EQ("", trimmed(" \t "));
}

}  // namespace
}  // namespace zlink::zws
