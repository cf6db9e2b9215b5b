// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Reports as they are served: Prometheus's text format, JSON, and the pages.
#include "stats/labels.hpp"
#include "stats/metrics_text.hpp"
#include "stats/pages.hpp"
#include "stats/report.hpp"
#include "stats/report_json.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace zlink::stats {

namespace {

process_report sample(std::int64_t process = 7)
{
    process_report report{"1.2.3", process, "a\"pp", true, {}};
    socket_report one;
    one.numbers.number = 1;
    one.numbers.type = socket_type::pub;
    one.numbers.name = one.label = "fe\"ed";
    one.numbers.connects = 3;
    one.numbers.disconnects = 1;
    one.numbers.messages.sent = {10, 100};
    one.numbers.messages.queued_out = {4, 40};
    one.numbers.messages.no_room = 5;
    one.numbers.messages.writes = 9;
    one.numbers.failed_handshakes = 6;
    one.numbers.protocol_errors = 2;
    one.numbers.refused = 1;
    one.numbers.last_error = "bad\xff";
    socket::peer_statistics peer;
    peer.endpoint = "tcp://127.0.0.1:1";
    peer.routing_id = std::string("\0a", 2);
    peer.connected = true;
    peer.messages.sent = {10, 100};
    peer.round_trip = std::chrono::microseconds(2'000'345);
    one.peers = {peer, peer};
    report.sockets.push_back(one);
    return report;
}

std::vector<std::string> lines_of(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

bool has_line(const std::string& text, const std::string& line)
{
    const auto lines = lines_of(text);
    return std::find(lines.begin(), lines.end(), line) != lines.end();
}

TEST(metrics_text_test, samples_have_the_names_and_labels_of_the_documentation)
{
    const process_report report = sample();
    const std::string text = metrics_of({&report, 1}, process_labels::no);
    for (const auto* const line : {
             R"(zlink_build_info{version="1.2.3"} 1)",
             "zlink_sockets 1",
             R"(zlink_messages_sent_total{socket="fe\"ed",type="PUB"} 10)",
             R"(zlink_bytes_sent_total{socket="fe\"ed",type="PUB"} 100)",
             R"(zlink_messages_dropped_total{socket="fe\"ed",type="PUB",reason="full"} 5)",
             R"(zlink_queue_messages{socket="fe\"ed",type="PUB",direction="out"} 4)",
             R"(zlink_peers{socket="fe\"ed",type="PUB"} 2)",
             R"(zlink_handshake_failures_total{socket="fe\"ed",type="PUB",reason="protocol"} 2)",
             R"(zlink_handshake_failures_total{socket="fe\"ed",type="PUB",reason="refused"} 1)",
             R"(zlink_handshake_failures_total{socket="fe\"ed",type="PUB",reason="other"} 3)",
             R"(zlink_peer_messages_sent_total{socket="fe\"ed",type="PUB",peer="tcp://127.0.0.1:1"} 10)",
             R"(zlink_peer_round_trip_seconds{socket="fe\"ed",type="PUB",peer="tcp://127.0.0.1:1"} 2.000345)",
             R"(zlink_system_calls_total{socket="fe\"ed",type="PUB",call="write"} 9)",
             R"(zlink_peer_messages_sent_total{socket="fe\"ed",type="PUB",peer="tcp://127.0.0.1:1-2"} 10)",
         })
        EXPECT_TRUE(has_line(text, line)) << line << "\n" << text;
}

TEST(metrics_text_test, each_family_is_declared_once_and_each_series_is_there_once)
{
    const std::vector<process_report> both{sample(7), sample(8)};
    std::set<std::string> declared, series;
    std::string current;
    for (const auto& line : lines_of(metrics_of(both, process_labels::yes))) {
        std::istringstream in(line);
        std::string first, second, name, type;
        in >> first;
        if (first == "#") {
            in >> second >> name >> type;
            EXPECT_TRUE(declared.insert(second + " " + name).second) << line;
            current = name;
            if (second == "TYPE") {
                EXPECT_EQ(type == "counter", name.ends_with("_total")) << line;
            }
            continue;
        }
        EXPECT_TRUE(series.insert(line.substr(0, line.rfind(' '))).second) << line;
        EXPECT_EQ(current, line.substr(0, line.find('{'))) << line;
        EXPECT_NE(std::string::npos, line.find("pid=\"")) << line;
        EXPECT_NE(std::string::npos, line.find(R"(program="a\"pp")")) << line;
    }
}

TEST(report_json_test, numbers_have_the_names_of_the_header)
{
    const std::string text = json_of(sample());
    for (const auto* const part :
         {R"({"zlink":"1.2.3","pid":7,"program":"a\"pp","sockets":[{"socket":"fe\"ed","type":"PUB","name":"fe\"ed",)",
          R"("messages_sent":10,"octets_sent":100,)", R"("dropped_full":5,)", R"("peers":2,)",
          "\"last_error\":\"bad\xef\xbf\xbd\"",
          R"("peer_list":[{"endpoint":"tcp://127.0.0.1:1","address":"","routing_id":"0061",)", R"("connected":true,)"})
        EXPECT_NE(std::string::npos, text.find(part)) << part << "\n" << text;
    EXPECT_TRUE(text.ends_with("}]}]}\n"));
    process_report without = sample();
    without.with_peers = false;
    EXPECT_EQ(std::string::npos, json_of(without).find("peer_list"));
}

TEST(report_test, a_type_that_does_not_speak_zmtp_has_a_name)
{
    EXPECT_EQ("STREAM", name_of(socket_type::stream));
    EXPECT_EQ("DGRAM", name_of(socket_type::dgram));
    EXPECT_EQ("XPUB", name_of(socket_type::xpub));
    EXPECT_EQ(5u, dropped_of(sample().sockets[0].numbers));
}

TEST(pages_test, a_question_gets_the_page_that_it_asks_for)
{
    page_request seen;
    const page_source source = [&](const page_request& asked) {
        seen = asked;
        return answer_with(asked.what, sample());
    };
    const auto told = [&](const std::string& target) {
        const auto question = make_question(nullptr, source);
        EXPECT_FALSE(question->take("GET " + target));
        const auto answer = question->take(" HTTP/1.1\r\nHost: x\r\n\r\n");
        return answer ? answer->text : "";
    };
    EXPECT_NE(std::string::npos, told("/").find("/stats.json"));
    EXPECT_NE(std::string::npos, told("/metrics?peers=1").find("version=0.0.4"));
    EXPECT_TRUE(seen.peers);
    EXPECT_NE(std::string::npos, told("/stats.json").find("application/json"));
    EXPECT_TRUE(told("/x").starts_with("HTTP/1.1 404"));
}

TEST(pages_test, an_answer_that_is_too_long_is_refused)
{
    process_report report = sample();
    report.program.assign(longest_answer + 1, 'x');
    EXPECT_TRUE(answer_with(page::numbers, report).starts_with("HTTP/1.1 503"));
}

}  // namespace

}  // namespace zlink::stats
