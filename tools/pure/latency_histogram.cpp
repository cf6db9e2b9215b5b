// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A bucket is a power of two and the seven bits after the first.
#include "pure/latency_histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace zlink::tool {
namespace {

constexpr int decades = 19;  // below the largest number of nanoseconds

}  // namespace

std::size_t latency_histogram::index_of(std::uint64_t value) noexcept
{
    const int shift = std::max(0, int(std::bit_width(value)) - (sub_bits + 1));
    return (std::size_t(shift) << sub_bits) + std::size_t(value >> shift);
}

std::uint64_t latency_histogram::first_of(std::size_t index) noexcept
{
    const std::size_t group = index >> sub_bits;
    const std::size_t shift = group == 0 ? 0 : group - 1;
    return std::uint64_t(index - (shift << sub_bits)) << shift;
}

std::uint64_t latency_histogram::last_of(std::size_t index) noexcept
{
    return index + 1 == buckets ? ~std::uint64_t{0} : first_of(index + 1) - 1;
}

void latency_histogram::add(std::uint64_t nanoseconds) noexcept
{
    ++counts_[index_of(nanoseconds)];
    ++count_;
    min_ = std::min(min_, nanoseconds);
    max_ = std::max(max_, nanoseconds);
    sum_ += double(nanoseconds);
}

std::uint64_t latency_histogram::percentile(double part) const noexcept
{
    const auto rank = std::max<std::uint64_t>(1, std::uint64_t(std::ceil(std::clamp(part, 0.0, 1.0) * double(count_))));
    std::uint64_t passed = 0;
    for (std::size_t at = 0; at < buckets; ++at) {
        passed += counts_[at];
        if (passed >= rank) {
            return std::min(last_of(at), max_);
        }
    }
    return max_;
}

std::vector<latency_histogram::bar> latency_histogram::bars_between(const std::vector<std::uint64_t>& bounds) const
{
    std::vector<bar> result;
    for (std::size_t at = 0; at + 1 < bounds.size(); ++at) {
        result.push_back({bounds[at], bounds[at + 1], 0});
    }
    auto current = result.begin();
    for (std::size_t at = 0; at < buckets && current != result.end(); ++at) {
        if (counts_[at] == 0) {
            continue;
        }
        const std::uint64_t value = std::clamp(first_of(at), min_, max_);
        while (current + 1 != result.end() && value >= current->until) {
            ++current;
        }
        current->count += counts_[at];
    }
    const auto filled = [](const bar& each) { return each.count > 0; };
    const auto first = std::ranges::find_if(result, filled);
    const auto last = std::find_if(result.rbegin(), result.rend(), filled).base();
    return first < last ? std::vector<bar>(first, last) : std::vector<bar>();
}

std::vector<latency_histogram::bar> latency_histogram::bars_of_1_2_5() const
{
    std::vector<std::uint64_t> bounds{0};
    std::uint64_t power = 1;
    for (int decade = 0; decade < decades; ++decade, power *= 10) {
        bounds.insert(bounds.end(), {power, 2 * power, 5 * power});
    }
    bounds.push_back(~std::uint64_t{0});
    return bars_between(bounds);
}

std::vector<latency_histogram::bar> latency_histogram::bars_of_decade(int bars) const
{
    std::vector<std::uint64_t> bounds{0};
    for (int at = 0; at < decades * bars; ++at) {
        const auto bound = std::uint64_t(std::llround(std::pow(10.0, double(at) / double(bars))));
        if (bound > bounds.back()) {
            bounds.push_back(bound);
        }
    }
    bounds.push_back(~std::uint64_t{0});
    return bars_between(bounds);
}

}  // namespace zlink::tool
