// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// All that is left to chance in a simulated run comes from here, and so from the run's seed.
#pragma once

#include <cmath>
#include <cstdint>

namespace zlink::sim {

/// SplitMix64: any seed is as good as any other.
class random {
public:
    explicit random(std::uint64_t seed) noexcept : state_(seed) {}

    std::uint64_t next() noexcept
    {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }
    /// 0 to n - 1; n is not 0.
    std::uint64_t below(std::uint64_t n) noexcept { return next() % n; }
    std::int64_t between(std::int64_t least, std::int64_t most) noexcept
    {
        return least + std::int64_t(below(std::uint64_t(most - least + 1)));
    }
    /// In [0, 1).
    double part() noexcept { return double(next() >> 11) * 0x1p-53; }
    bool chance(double probability) noexcept { return probability > 0 && part() < probability; }
    std::int64_t exponential(double mean) noexcept { return std::int64_t(-mean * std::log1p(-part())); }
    /// A stream of its own: how much one part of a run draws does not change another.
    random fork() noexcept { return random(next()); }

private:
    std::uint64_t state_;
};

}  // namespace zlink::sim
