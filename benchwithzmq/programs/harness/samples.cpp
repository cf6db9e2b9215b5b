// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// See samples.hpp.
#include "harness/samples.hpp"

#include "harness/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace bench {

void sample_log::warm_up()
{
    std::memset(log_, 1, std::size_t{4} << 20);
}

std::vector<std::uint32_t> sample_log::sorted(std::size_t skipped) const
{
    std::vector<std::uint32_t> all(log_ + std::min(skipped, count_), log_ + count_);
    std::sort(all.begin(), all.end());
    return all;
}

double percentile_us(const std::vector<std::uint32_t>& sorted, double share)
{
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
    return 1e-3 * static_cast<double>(sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1]);
}

void print_latencies(const settings& of, const char* pattern, const std::vector<std::uint32_t>& sorted)
{
    const double sum = std::accumulate(sorted.begin(), sorted.end(), 0.0);
    print_result(of, pattern, "latency_mean_us", 1e-3 * sum / static_cast<double>(sorted.size()));
    constexpr std::pair<const char*, double> shares[] = {
        {"latency_p10_us", 0.10},      {"latency_p25_us", 0.25}, {"latency_p50_us", 0.50}, {"latency_p75_us", 0.75},
        {"latency_p90_us", 0.90},      {"latency_p95_us", 0.95}, {"latency_p99_us", 0.99}, {"latency_p99_9_us", 0.999},
        {"latency_p99_99_us", 0.9999}, {"latency_max_us", 1.0},
    };
    for (const auto& [metric, share] : shares) print_result(of, pattern, metric, percentile_us(sorted, share));
    print_result(of, pattern, "latency_samples", static_cast<double>(sorted.size()));
}

}  // namespace bench
