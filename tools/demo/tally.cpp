// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Counting and judging, free of sockets.
#include "demo/tally.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>

namespace zlink::tool::demo {
namespace {

double percentile(std::vector<std::int64_t> sorted, double share)
{
    if (sorted.empty()) {
        return 0;
    }
    const auto at = static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5);
    return static_cast<double>(sorted[at]) / 1000;
}

}  // namespace

std::string tally::to_line() const
{
    return fmt::format(
        "sent={} received={} missing={} misplaced={} damaged={} bytes={} burst_messages={} burst_seconds={} "
        "p50={} p99={}",
        sent, received, missing, misplaced, damaged, bytes, burst_messages, burst_seconds, p50, p99);
}

tally tally::from_line(std::string_view line)
{
    std::map<std::string_view, double> values;
    while (!line.empty()) {
        const auto word = line.substr(0, line.find(' '));
        line.remove_prefix(std::min(line.size(), word.size() + 1));
        const auto equals = word.find('=');
        if (equals != std::string_view::npos) {
            std::from_chars(word.data() + equals + 1, word.data() + word.size(), values[word.substr(0, equals)]);
        }
    }
    const auto whole = [&](const char* name) { return static_cast<std::uint64_t>(values[name]); };
    tally result;
    result.sent = whole("sent");
    result.received = whole("received");
    result.missing = whole("missing");
    result.misplaced = whole("misplaced");
    result.damaged = whole("damaged");
    result.bytes = whole("bytes");
    result.burst_messages = whole("burst_messages");
    result.burst_seconds = values["burst_seconds"];
    result.p50 = values["p50"];
    result.p99 = values["p99"];
    return result;
}

bool judge::accept(const record_header& header, std::span<const std::string_view> frames)
{
    if (!intact(header, frames)) {
        ++result_.damaged;
        return header.kind != record_kind::end;
    }
    if (header.kind == record_kind::hello) {
        return true;
    }
    if (header.sequence < expected_) {
        ++result_.misplaced;
    } else {
        result_.missing += header.sequence - expected_;
        expected_ = header.sequence + 1;
    }
    if (header.kind == record_kind::end) {
        return false;
    }
    ++result_.received;
    for (const auto frame : frames) {
        result_.bytes += frame.size();
    }
    const std::int64_t now = now_ns();
    if (header.kind == record_kind::paced) {
        latencies_.push_back(now - header.sent_at);
    } else {
        burst_begin_ = burst_begin_ == 0 ? now : burst_begin_;
        burst_end_ = now;
        ++result_.burst_messages;
    }
    return true;
}

tally judge::finish() const
{
    tally result = result_;
    std::vector<std::int64_t> sorted = latencies_;
    std::sort(sorted.begin(), sorted.end());
    result.p50 = percentile(sorted, 0.50);
    result.p99 = percentile(sorted, 0.99);
    result.burst_seconds = static_cast<double>(burst_end_ - burst_begin_) / 1e9;
    return result;
}

}  // namespace zlink::tool::demo
