// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What the two sides of zlink bench tell each other, as lines of "name value". The peer may send anything.
#pragma once

#include "pure/timeline.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::tool {

// One run: messages of one size, either as many as can be or at a fixed rate.
struct bench_run {
    bool latency = false;  // at a fixed rate; stamped with the time at which they were due
    std::size_t size = 64;
    double rate = 0;  // messages a second, of latency runs
    std::uint64_t warmup_ms = 0;
    std::uint64_t duration_ms = 0;
    std::string machine;  // where it is sent from: equal if both sides have one clock

    bool operator==(const bench_run&) const = default;
};

std::string encode(const bench_run& run);
std::optional<bench_run> decode_run(std::string_view text);

// What was counted after the warm-up.
struct bench_count {
    std::uint64_t received = 0;  // in all, warm-up included
    std::uint64_t measured = 0;
    std::uint64_t duration_ns = 0;
    std::uint64_t step_ns = 0;
    std::vector<std::uint64_t> over_time;

    bool operator==(const bench_count&) const = default;
};

std::string encode(const bench_count& count);
std::optional<bench_count> decode_count(std::string_view text);

}  // namespace zlink::tool
