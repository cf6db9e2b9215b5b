// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "support/latency_text.hpp"

#include "support/text.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace zlink::tool {
namespace {

constexpr double widest_bar = 40;

}  // namespace

std::string time_text(std::uint64_t nanoseconds)
{
    struct unit {
        double size;
        const char* name;
    };
    constexpr std::array units{unit{1e9, "s"}, unit{1e6, "ms"}, unit{1e3, "us"}};
    const auto value = double(nanoseconds);
    for (const auto& each : units) {
        if (value >= each.size) {
            return fmt::format("{:.3g} {}", std::min(value / each.size, 1e9), each.name);
        }
    }
    return fmt::format("{} ns", nanoseconds);
}

std::string percentile_line(const latency_histogram& from)
{
    return fmt::format("  p50 {}  p90 {}  p99 {}  p99.9 {}  max {}", time_text(from.percentile(0.5)),
                       time_text(from.percentile(0.9)), time_text(from.percentile(0.99)),
                       time_text(from.percentile(0.999)), time_text(from.max()));
}

std::string histogram_text(const latency_histogram& from)
{
    std::string text;
    const auto bars = from.bars_of_1_2_5();
    std::uint64_t most = 1;
    for (const auto& bar : bars) {
        most = std::max(most, bar.count);
    }
    for (const auto& bar : bars) {
        const auto width = std::size_t(widest_bar * double(bar.count) / double(most));
        const std::size_t shown = bar.count > 0 ? std::max<std::size_t>(width, 1) : 0;
        text +=
            fmt::format("  {:>7} to {:>7}  {:<40}  {:>11}  {:5.1f} %\n", time_text(bar.from), time_text(bar.until),
                        std::string(shown, '#'), grouped(bar.count), 100 * double(bar.count) / double(from.count()));
    }
    return text;
}

std::string json_percentiles(const latency_histogram& from)
{
    const auto us = [](double nanoseconds) { return nanoseconds / 1000; };
    return fmt::format(
        "\"count\": {}, \"min_us\": {:.3f}, \"mean_us\": {:.3f}, \"p50_us\": {:.3f}, \"p90_us\": {:.3f}, "
        "\"p99_us\": {:.3f}, \"p99_9_us\": {:.3f}, \"max_us\": {:.3f}",
        from.count(), us(double(from.min())), us(from.mean()), us(double(from.percentile(0.5))),
        us(double(from.percentile(0.9))), us(double(from.percentile(0.99))), us(double(from.percentile(0.999))),
        us(double(from.max())));
}

}  // namespace zlink::tool
