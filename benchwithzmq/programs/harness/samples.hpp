// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Latencies in nanoseconds, in memory that both processes see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace bench {

struct settings;

// Adds up to `capacity` samples. One thread adds; others look when it is done.
class sample_log {
public:
    static constexpr std::size_t capacity = std::size_t{1} << 24;

    // True while there is room.
    bool add(std::uint64_t ns)
    {
        log_[count_] = ns < UINT32_MAX ? static_cast<std::uint32_t>(ns) : UINT32_MAX;
        return ++count_ < capacity;
    }
    void clear() { count_ = 0; }

    // Touches the memory of the first million, lest page faults be measured.
    void warm_up();

    // All but the first `skipped` in rising order.
    [[nodiscard]] std::vector<std::uint32_t> sorted(std::size_t skipped = 0) const;

private:
    std::size_t count_;
    std::uint32_t log_[capacity];
};

// The value that a share of 0 to 1 of the sorted samples does not exceed (nearest rank), in microseconds.
[[nodiscard]] double percentile_us(const std::vector<std::uint32_t>& sorted, double share);

// Prints latency_mean_us, latency_p10_us and so on.
void print_latencies(const settings& of, const char* pattern, const std::vector<std::uint32_t>& sorted);

}  // namespace bench
