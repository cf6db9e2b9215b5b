// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The page of --html: figures, a histogram and a line for each run, drawn as SVG. Colours follow the reader's scheme.
#include "bench/bench_report.hpp"

#include "support/latency_text.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

namespace zlink::tool::bench {
namespace {

// Of a picture, in its own units; the frame leaves room for labels.
constexpr double width = 760;
constexpr double height = 260;
constexpr double left = 62;
constexpr double right = 14;
constexpr double top = 14;
constexpr double bottom = 40;

constexpr const char* head = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>zlink bench</title>
<style>
:root { --page: #f6f7f9; --card: #ffffff; --ink: #1b2330; --dim: #5b6675; --rule: #e0e4ea; --bar: #2f6fde;
        --line: #0f8a6d; --fill: #0f8a6d22; --mark: #c2410c; }
@media (prefers-color-scheme: dark) {
  :root { --page: #12161c; --card: #1b212a; --ink: #e6eaf0; --dim: #9aa6b5; --rule: #2d3642; --bar: #6ea3ff;
          --line: #43c9a5; --fill: #43c9a522; --mark: #ff9b66; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 860px; margin: 0 auto; padding: 28px 18px 48px; }
h1 { font-size: 24px; margin: 0 0 4px; }
h2 { font-size: 17px; margin: 0 0 12px; }
h3 { font-size: 13px; font-weight: 600; color: var(--dim); margin: 20px 0 6px; }
p { margin: 4px 0; color: var(--dim); overflow-wrap: anywhere; }
section { background: var(--card); border: 1px solid var(--rule); border-radius: 10px; padding: 18px 20px;
          margin-top: 20px; }
dl { display: flex; flex-wrap: wrap; gap: 10px 26px; margin: 0; }
dt { font-size: 12px; color: var(--dim); }
dd { margin: 0; font-size: 18px; font-weight: 600; font-variant-numeric: tabular-nums; }
svg { width: 100%; height: auto; display: block; }
svg text { fill: var(--dim); font-size: 12px; }
.grid { stroke: var(--rule); stroke-width: 1; }
.bar { fill: var(--bar); }
.bar:hover { fill: var(--mark); }
.line { fill: none; stroke: var(--line); stroke-width: 2; stroke-linejoin: round; }
.area { fill: var(--fill); }
.spot { fill: transparent; }
.spot:hover { fill: var(--fill); }
.mark { stroke: var(--mark); stroke-width: 1; stroke-dasharray: 4 3; }
svg text.mark-name { fill: var(--mark); }
</style>
</head>
<body>
<main>
)";

std::string escaped(std::string_view text)
{
    std::string result;
    for (const char c : text) {
        switch (c) {
        case '<': result += "&lt;"; break;
        case '>': result += "&gt;"; break;
        case '&': result += "&amp;"; break;
        case '"': result += "&quot;"; break;
        default: result += c;
        }
    }
    return result;
}

std::string fact(const char* name, const std::string& value)
{
    return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, escaped(value));
}

// The next of 1, 2, 2.5, 4, 5, 8 times a power of ten that is not below the value.
double round_up(double value)
{
    const double power = std::pow(10.0, std::floor(std::log10(std::max(value, 1.0))));
    for (const double step : {1.0, 2.0, 2.5, 4.0, 5.0, 8.0}) {
        if (value <= step * power) {
            return step * power;
        }
    }
    return 10 * power;
}

std::string begin_picture(const std::string& label)
{
    return fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">\n", width, height,
                       escaped(label));
}

double y_of(double value, double most)
{
    return height - bottom - value / most * (height - top - bottom);
}

// Lines across with their values.
std::string rules(double most)
{
    std::string text;
    for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0}) {
        const double y = y_of(part, 1);
        text += fmt::format("<line class=\"grid\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
                            "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
                            left, width - right, y, y, left - 8, y + 4, short_count(part * most));
    }
    return text;
}

std::string label_below(double x, const std::string& text)
{
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", x, height - bottom + 18,
                       escaped(text));
}

// Of times on a logarithmic scale.
class scale {
public:
    scale(double from, double until)
        : from_(std::log10(std::max(from, 1.0))),
          span_(std::max(std::log10(std::max(until, 2.0)) - from_, 0.05))
    {}

    double x(double value) const
    {
        const double part = (std::log10(std::max(value, 1.0)) - from_) / span_;
        return left + std::clamp(part, 0.0, 1.0) * (width - left - right);
    }

    std::string labels() const
    {
        std::string text;
        const bool few = span_ > 3;  // powers of ten alone
        for (int power = int(std::floor(from_)); power <= int(std::ceil(from_ + span_)); ++power) {
            for (const double step : {1.0, 2.0, 5.0}) {
                const double value = step * std::pow(10.0, power);
                const double at = std::log10(value);
                if (at < from_ - 1e-9 || at > from_ + span_ + 1e-9 || (few && step > 1)) {
                    continue;
                }
                text +=
                    fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>",
                                x(value), height - bottom, height - bottom + 5);
                text += label_below(x(value), time_text(std::uint64_t(value)));
            }
        }
        return text;
    }

private:
    double from_;
    double span_;
};

std::string histogram_picture(const latency_histogram& from)
{
    const auto bars = from.bars_of_decade(40);
    if (bars.empty()) {
        return "";
    }
    double most = 1;
    for (const auto& bar : bars) {
        most = std::max(most, double(bar.count));
    }
    most = round_up(most);
    const scale times(double(bars.front().from), double(bars.back().until));
    std::string text = begin_picture("Histogram of latencies") + rules(most) + times.labels();
    for (const auto& bar : bars) {
        if (bar.count == 0) {
            continue;
        }
        const double x = times.x(double(bar.from));
        const double wide = std::max(times.x(double(bar.until)) - x - 1, 1.0);
        const double y = std::min(y_of(double(bar.count), most), height - bottom - 1.5);
        text += fmt::format(
            "<rect class=\"bar\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"><title>{} "
            "to {}: {}</title></rect>\n",
            x, y, wide, height - bottom - y, time_text(bar.from), time_text(bar.until), messages(bar.count));
    }
    constexpr double wide = 44;
    double free_from = 0;  // names of marks that would lie on each other are left out
    for (const auto& [name, part] : {std::pair{"p50", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}}) {
        const double x = times.x(double(from.percentile(part)));
        text += fmt::format("<line class=\"mark\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>", x,
                            top, height - bottom);
        const bool at_the_end = x > width - right - wide;
        const double begin = at_the_end ? x - wide : x;
        if (begin >= free_from) {
            text += fmt::format("<text class=\"mark-name\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
                                at_the_end ? x - 4 : x + 4, top + 10, at_the_end ? "end" : "start", name);
            free_from = begin + wide;
        }
    }
    return text + "</svg>\n";
}

std::string line_picture(const result& found)
{
    // The last step may have ended early, and what came after the measured time is of messages due before.
    const double step = double(found.step_ns) / 1e9;
    const auto whole = step > 0 ? std::size_t(found.seconds / step + 1e-6) : 0;
    const std::size_t points = std::min(whole, found.over_time.size());
    if (points < 2) {
        return "";
    }
    double most = 1;
    for (std::size_t at = 0; at < points; ++at) {
        most = std::max(most, double(found.over_time[at]) / step);
    }
    most = round_up(most);
    const double wide = (width - left - right) / double(points);
    std::string line;
    std::string spots;
    for (std::size_t at = 0; at < points; ++at) {
        const double rate = double(found.over_time[at]) / step;
        const double x = left + (double(at) + 0.5) * wide;
        line += fmt::format("{}{:.1f},{:.1f}", line.empty() ? "" : " ", x, y_of(rate, most));
        spots += fmt::format("<rect class=\"spot\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\"><title>"
                             "{:.1f} s: {}/s</title></rect>\n",
                             left + double(at) * wide, top, wide, height - top - bottom, double(at) * step,
                             short_count(rate));
    }
    std::string text = begin_picture("Messages a second over time") + rules(most);
    text += fmt::format("<polygon class=\"area\" points=\"{0:.1f},{1:.1f} {2} {3:.1f},{1:.1f}\"/>\n<polyline "
                        "class=\"line\" points=\"{2}\"/>\n",
                        left + 0.5 * wide, height - bottom, line, left + (double(points) - 0.5) * wide);
    const double whole_time = double(points) * step;
    for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0}) {
        const double x = left + part * (width - left - right);
        text += label_below(std::min(x, width - right - 12), fmt::format("{:.3g} s", part * whole_time));
    }
    return text + spots + "</svg>\n";
}

std::string section_of(const result& found)
{
    const auto& latency = *found.latency;
    std::string text =
        fmt::format("<section>\n<h2>{}, {} octets{}</h2>\n<dl>\n", found.run.latency ? "Latency" : "Throughput",
                    grouped(found.run.size), found.run.latency ? fmt::format(", {:g} messages/s", found.run.rate) : "");
    if (latency.count() > 0) {
        for (const auto& [name, part] :
             {std::pair{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}, {"max", 1.0}}) {
            text += fact(name, time_text(latency.percentile(part)));
        }
    } else {
        text += fact("messages/s", short_count(found.messages_per_second()));
        text += fact("octets/s", byte_count(found.messages_per_second() * double(found.run.size)));
    }
    text += fact("sent", grouped(found.sent));
    text += fact(found.run.latency && found.round_trip ? "answered" : "received", grouped(found.received));
    text += fact("lost", grouped(found.lost())) + "</dl>\n";
    if (latency.count() > 0) {
        text += fmt::format("<h3>Latency ({}, from the time at which each message was due); {} measured</h3>\n",
                            found.round_trip ? "round trip" : "one way", messages(latency.count()));
        text += histogram_picture(latency);
    }
    const std::string line = line_picture(found);
    if (!line.empty()) {
        text += fmt::format("<h3>{} a second over time</h3>\n",
                            found.run.latency && found.round_trip ? "Answers" : "Messages");
    }
    return text + line + "</section>\n";
}

}  // namespace

std::string page_of(const options& wanted, std::span<const result> all)
{
    const auto& endpoints = wanted.wishes.connect.empty() ? wanted.wishes.bind : wanted.wishes.connect;
    const bench_run asked = all.empty() ? bench_run() : all.front().run;
    std::string written = utc_time_now().substr(0, std::string_view("2026-01-31T23:59").size());
    std::ranges::replace(written, 'T', ' ');
    std::string text = head;
    text += fmt::format("<h1>zlink bench</h1>\n<p>{} over {}; {} s measured after {} s of warm-up; {} UTC</p>\n",
                        escaped(wanted.how->name), escaped(endpoints.front()), double(asked.duration_ms) / 1000,
                        double(asked.warmup_ms) / 1000, written);
    for (const auto& found : all) {
        text += section_of(found);
    }
    return text + "</main>\n</body>\n</html>\n";
}

}  // namespace zlink::tool::bench
