// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Latencies as people and programs read them.
#pragma once

#include "pure/latency_histogram.hpp"

#include <cstdint>
#include <string>

namespace zlink::tool {

// "850 ns", "41.2 us", "3.25 ms", "1.5 s"
std::string time_text(std::uint64_t nanoseconds);

// "  p50 41.2 us  p90 60.1 us  p99 95 us  p99.9 210 us  max 1.2 ms"
std::string percentile_line(const latency_histogram& from);

// A line for each bar, with its share; empty without values.
std::string histogram_text(const latency_histogram& from);

// "count": 10, "min_us": ..., without braces.
std::string json_percentiles(const latency_histogram& from);

}  // namespace zlink::tool
