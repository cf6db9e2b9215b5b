// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "bench/bench_report.hpp"

#include "support/failure.hpp"
#include "support/json_text.hpp"
#include "support/latency_text.hpp"
#include "support/text.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

namespace zlink::tool::bench {
namespace {

std::string json_latency(const latency_histogram& from)
{
    std::string bars;
    for (const auto& bar : from.bars_of_decade(20)) {
        bars += fmt::format("{}{{\"from_us\": {:.3f}, \"until_us\": {:.3f}, \"count\": {}}}", bars.empty() ? "" : ", ",
                            double(bar.from) / 1000, double(bar.until) / 1000, bar.count);
    }
    return fmt::format("{}, \"histogram\": [{}]", json_percentiles(from), bars);
}

std::string json_run(const result& found)
{
    std::string counts;
    for (const auto each : found.over_time) {
        counts += (counts.empty() ? "" : ", ") + std::to_string(each);
    }
    std::string text = fmt::format(
        "    {{\"kind\": \"{}\", \"size\": {}, \"sent\": {}, \"received\": {}, \"lost\": {}, \"seconds\": {:.3f}, "
        "\"messages_per_second\": {:.1f}, \"octets_per_second\": {:.1f}, \"over_time\": {{\"step_ms\": {:.0f}, "
        "\"messages\": [{}]}}",
        found.run.latency ? "latency" : "throughput", found.run.size, found.sent, found.received, found.lost(),
        found.seconds, found.messages_per_second(), found.messages_per_second() * double(found.run.size),
        double(found.step_ns) / 1e6, counts);
    if (found.run.latency) {
        text += fmt::format(", \"rate\": {:.3f}, \"path\": \"{}\"", found.run.rate,
                            found.round_trip ? "round trip" : "one way");
    }
    if (found.latency->count() > 0) {
        text += fmt::format(", \"latency\": {{{}}}", json_latency(*found.latency));
    }
    if (found.lag->count() > 0) {
        text += fmt::format(", \"sender_late\": {{{}}}", json_percentiles(*found.lag));
    }
    return text + "}";
}

}  // namespace

std::string summary(const result& found)
{
    const double rate = found.messages_per_second();
    return fmt::format("{}, {} octets{}: {} messages/s, {}/s; {} sent, {} {}, {} lost",
                       found.run.latency ? "latency" : "throughput", found.run.size,
                       found.run.latency ? fmt::format(", {:g}/s", found.run.rate) : "", short_count(rate),
                       byte_count(rate * double(found.run.size)), grouped(found.sent), grouped(found.received),
                       found.run.latency && found.round_trip ? "answered" : "received", grouped(found.lost()));
}

std::string text_of(std::span<const result> all)
{
    std::string text;
    for (const auto& found : all) {
        text += (text.empty() ? "" : "\n") + summary(found) + '\n';
        if (found.latency->count() > 0) {
            text += fmt::format("{}, from the time at which each message was due:\n",
                                found.round_trip ? "Round trip" : "One way");
            text += percentile_line(*found.latency) + '\n' + histogram_text(*found.latency);
        } else if (found.run.latency && !found.round_trip) {
            text += "No latencies: the two sides are on different machines, whose clocks differ. A pattern that "
                    "answers measures round trips.\n";
        }
        if (found.lag->count() > 0) {
            text += fmt::format("The sender was behind its times by p50 {}, p99 {}, max {}; this is part of the "
                                "latency.\n",
                                time_text(found.lag->percentile(0.5)), time_text(found.lag->percentile(0.99)),
                                time_text(found.lag->max()));
        }
    }
    return text;
}

std::string json_of(const options& wanted, std::span<const result> all)
{
    std::string runs;
    for (const auto& found : all) {
        runs += (runs.empty() ? "" : ",\n") + json_run(found);
    }
    const auto& endpoints = wanted.wishes.connect.empty() ? wanted.wishes.bind : wanted.wishes.connect;
    const bench_run asked = all.empty() ? bench_run() : all.front().run;
    return fmt::format("{{\n  \"pattern\": {}, \"endpoint\": {}, \"warmup_ms\": {}, \"duration_ms\": {},\n  "
                       "\"runs\": [\n{}\n  ]\n}}\n",
                       json_text(wanted.how->name), json_text(endpoints.front()), asked.warmup_ms, asked.duration_ms,
                       runs);
}

void write_page(const options& wanted, std::span<const result> all)
{
    std::ofstream file(wanted.html);
    file << page_of(wanted, all);
    if (!file.flush()) {
        throw failure(fmt::format("cannot write {}: {}; give --html a path that can be written", wanted.html,
                                  std::strerror(errno)));
    }
}

}  // namespace zlink::tool::bench
