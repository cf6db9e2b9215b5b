// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What one role counted, and how it tells the demo: a line of name=value pairs.
#pragma once

#include "demo/record.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::tool::demo {

struct tally {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t missing = 0;    // gaps in the sequence
    std::uint64_t misplaced = 0;  // doubled or out of order
    std::uint64_t damaged = 0;    // not what was sent
    std::uint64_t bytes = 0;      // received
    std::uint64_t burst_messages = 0;
    double burst_seconds = 0;
    double p50 = 0;  // microseconds, one way
    double p99 = 0;

    std::string to_line() const;
    static tally from_line(std::string_view line);
};

// Judges arriving records in the order of their numbers.
class judge {
public:
    // Counts the record; frames begin with the header's. False when it was the end.
    bool accept(const record_header& header, std::span<const std::string_view> frames);
    void reject() { ++result_.damaged; }

    std::uint64_t received() const noexcept { return result_.received; }

    // Adds rate and latency to the counts.
    tally finish() const;

private:
    tally result_;
    std::uint64_t expected_ = 0;
    std::int64_t burst_begin_ = 0;
    std::int64_t burst_end_ = 0;
    std::vector<std::int64_t> latencies_;
};

}  // namespace zlink::tool::demo
