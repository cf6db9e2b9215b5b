// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How often which latency occurred: buckets that are narrow at small values and wide at large ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace zlink::tool {

// Takes any number of values in 60 kB. A value that is read back is at most 1/128 too large, the largest one exact.
class latency_histogram {
public:
    struct bar {
        std::uint64_t from;   // ns
        std::uint64_t until;  // ns, not included
        std::uint64_t count;
    };

    void add(std::uint64_t nanoseconds) noexcept;

    std::uint64_t count() const noexcept { return count_; }
    std::uint64_t min() const noexcept { return count_ == 0 ? 0 : min_; }
    std::uint64_t max() const noexcept { return max_; }
    double mean() const noexcept { return count_ == 0 ? 0 : sum_ / double(count_); }

    // The value that this part of all values (0 to 1) does not exceed; 0 without values.
    std::uint64_t percentile(double part) const noexcept;

    // All values, in bars from 1, 2, 5, 10, ... times a power of ten on; without empty bars at either end.
    std::vector<bar> bars_of_1_2_5() const;

    // The same in so many bars of equal width on a logarithmic scale from one power of ten to the next.
    std::vector<bar> bars_of_decade(int bars) const;

private:
    static constexpr int sub_bits = 7;
    static constexpr std::size_t buckets = (64 - sub_bits) * (std::size_t{1} << sub_bits) + (1U << sub_bits);

    static std::size_t index_of(std::uint64_t value) noexcept;
    static std::uint64_t first_of(std::size_t index) noexcept;
    static std::uint64_t last_of(std::size_t index) noexcept;
    std::vector<bar> bars_between(const std::vector<std::uint64_t>& bounds) const;

    std::array<std::uint64_t, buckets> counts_{};
    std::uint64_t count_ = 0;
    std::uint64_t min_ = ~std::uint64_t{0};
    std::uint64_t max_ = 0;
    double sum_ = 0;
};

}  // namespace zlink::tool
