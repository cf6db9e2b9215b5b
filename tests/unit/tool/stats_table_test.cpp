// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a process has served, read back and shown.
#include "stats/report.hpp"
#include "stats/report_json.hpp"
#include "tools/pure/stats_reading.hpp"
#include "tools/pure/stats_table.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace zlink::tool {

namespace {

stats::process_report served(std::uint64_t sent = 10, std::int64_t age_ms = 1000)
{
    stats::process_report report{"1.2.3", 7, "a\x1b[2Jpp", true, {}};
    stats::socket_report one;
    std::uint64_t next = 100;
    stats::each_number(one.numbers, [&next](std::string_view, std::uint64_t& value) { value = ++next; });
    one.numbers.number = 3;
    one.numbers.type = socket_type::stream;
    one.numbers.name = one.label = "feed";
    one.numbers.age = std::chrono::milliseconds(age_ms);
    one.numbers.messages.sent = {sent, sent * 1'000'000};
    one.numbers.last_error = "why";
    socket::peer_statistics peer;
    peer.endpoint = "tcp://127.0.0.1:1";
    peer.routing_id = std::string("\0a\xff", 3);
    peer.mechanism = "CURVE";
    peer.round_trip = std::chrono::microseconds(17);
    peer.messages.sent = {4, 40};
    one.peers = {peer};
    report.sockets.push_back(one);
    return report;
}

TEST(stats_reading_test, a_report_comes_back_as_it_was)
{
    const auto read = read_report(stats::json_of(served()));
    ASSERT_TRUE(read);
    EXPECT_EQ(stats::json_of(served()), stats::json_of(*read));
    EXPECT_EQ(std::string("\0a\xff", 3), read->sockets[0].peers[0].routing_id);
}

TEST(stats_reading_test, what_is_not_a_report_is_refused)
{
    for (const auto* const text : {"", "{}", "[]", R"({"zlink":"1"})", R"({"zlink":"1","sockets":[{}]})",
                                   R"({"zlink":"1","sockets":[{"socket":"a","type":"NONE"}]})"})
        EXPECT_FALSE(read_report(text)) << text;
    EXPECT_TRUE(read_report(R"({"zlink":"1","sockets":[]})"));
}

TEST(stats_reading_test, an_answer_is_whole_or_none)
{
    EXPECT_EQ("ab", read_answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab").content);
    EXPECT_EQ(404, read_answer("HTTP/1.0 404 Not Found\r\n\r\n").status);
    EXPECT_EQ(0, read_answer("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab").status);
    for (const auto* const text : {"", "HTTP/1.1", "HTTP/1.1\r\n\r\n", "SSH-2.0\r\n\r\n", "HTTP/1.1 200 OK\r\n"})
        EXPECT_EQ(0, read_answer(text).status) << text;
}

TEST(stats_table_test, rates_are_those_between_two_looks)
{
    const auto rates = rates_between(served(10, 1000).sockets[0].numbers, served(30, 3000).sockets[0].numbers);
    EXPECT_DOUBLE_EQ(10, rates.messages_out);
    EXPECT_DOUBLE_EQ(10'000'000, rates.octets_out);
    EXPECT_DOUBLE_EQ(0, rates.messages_in);
    EXPECT_DOUBLE_EQ(0, rates_between(served().sockets[0].numbers, served().sockets[0].numbers).messages_out);
}

TEST(stats_table_test, a_socket_has_a_line_and_its_peers_have_theirs)
{
    const auto lines = table_of({served(10, 1000)}, {served(30, 2000)}, true);
    ASSERT_EQ(3u, lines.size());
    EXPECT_EQ(table_line::kind::head, lines[0].what);
    EXPECT_TRUE(lines[0].text.starts_with("PROCESS    SOCKET  TYPE")) << lines[0].text;
    EXPECT_TRUE(lines[1].text.starts_with("a?[2Jpp/7  feed    STREAM")) << lines[1].text;
    EXPECT_NE(std::string::npos, lines[1].text.find("  20  ")) << lines[1].text;
    EXPECT_EQ(lines[0].text.size(), lines[1].text.size());
    EXPECT_FALSE(lines[1].drops);
    EXPECT_TRUE(lines[2].text.starts_with("    tcp://127.0.0.1:1 (not connected)")) << lines[2].text;
    EXPECT_EQ(2u, table_of({}, {served()}, false).size());

    auto lossy = served(30, 2000);
    lossy.sockets[0].numbers.no_match += 1;
    EXPECT_TRUE(table_of({served()}, {lossy}, false)[1].drops);
}

TEST(stats_table_test, lines_are_cut_to_the_width)
{
    EXPECT_EQ("abc", cut_to_width("abcdef", 3));
    EXPECT_EQ("abcdef", cut_to_width("abcdef", 0));
    EXPECT_EQ("abc", cut_to_width("abc", 3));
}

}  // namespace

}  // namespace zlink::tool
