// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Rates have three decimals, as whole numbers of thousandths: no locale and no rounding come in between.
#include "pure/bench_words.hpp"

#include <charconv>
#include <cmath>
#include <map>
#include <system_error>

namespace zlink::tool {
namespace {

constexpr std::size_t largest_text = 64 * 1024;
constexpr std::size_t most_counts = 10'000;
constexpr std::uint64_t largest_size = std::uint64_t{1} << 31;
constexpr std::uint64_t longest_ms = std::uint64_t{1000} * 3600 * 24 * 30;
constexpr std::uint64_t highest_rate = 1'000'000'000'000;  // thousandths

using lines = std::map<std::string, std::string, std::less<>>;

lines lines_of(std::string_view text)
{
    lines result;
    while (!text.empty() && text.size() <= largest_text) {
        const auto end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        const auto blank = std::min(line.find(' '), line.size());
        result[std::string(line.substr(0, blank))] = line.substr(std::min(blank + 1, line.size()));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return result;
}

bool number(std::string_view text, std::uint64_t& value)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

bool number(const lines& from, std::string_view name, std::uint64_t& value)
{
    const auto found = from.find(name);
    return found != from.end() && number(found->second, value);
}

std::string line(const char* name, std::uint64_t value)
{
    return std::string(name) + ' ' + std::to_string(value) + '\n';
}

}  // namespace

std::string encode(const bench_run& run)
{
    return line("latency", run.latency ? 1 : 0) + line("size", run.size) +
           line("millirate", std::uint64_t(std::llround(run.rate * 1000))) + line("warmup_ms", run.warmup_ms) +
           line("duration_ms", run.duration_ms) + "machine " + run.machine + '\n';
}

std::optional<bench_run> decode_run(std::string_view text)
{
    const lines all = lines_of(text);
    bench_run run;
    std::uint64_t latency = 0;
    std::uint64_t size = 0;
    std::uint64_t rate = 0;
    const bool complete = number(all, "latency", latency) && number(all, "size", size) &&
                          number(all, "millirate", rate) && number(all, "warmup_ms", run.warmup_ms) &&
                          number(all, "duration_ms", run.duration_ms) && all.contains("machine");
    if (!complete || latency > 1 || size > largest_size || run.warmup_ms > longest_ms || run.duration_ms > longest_ms ||
        rate > highest_rate) {
        return std::nullopt;
    }
    run.latency = latency == 1;
    run.size = std::size_t(size);
    run.rate = double(rate) / 1000;
    run.machine = all.find("machine")->second;
    return run;
}

std::string encode(const bench_count& count)
{
    std::string text = line("received", count.received) + line("measured", count.measured) +
                       line("duration_ns", count.duration_ns) + line("step_ns", count.step_ns) + "over_time";
    for (const auto each : count.over_time) {
        text += ' ' + std::to_string(each);
    }
    return text + '\n';
}

std::optional<bench_count> decode_count(std::string_view text)
{
    const lines all = lines_of(text);
    bench_count count;
    const auto over_time = all.find("over_time");
    if (!number(all, "received", count.received) || !number(all, "measured", count.measured) ||
        !number(all, "duration_ns", count.duration_ns) || !number(all, "step_ns", count.step_ns) ||
        over_time == all.end()) {
        return std::nullopt;
    }
    std::string_view rest = over_time->second;
    while (!rest.empty()) {
        const auto end = std::min(rest.find(' '), rest.size());
        std::uint64_t value = 0;
        if (!number(rest.substr(0, end), value) || count.over_time.size() == most_counts) {
            return std::nullopt;
        }
        count.over_time.push_back(value);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return count;
}

}  // namespace zlink::tool
