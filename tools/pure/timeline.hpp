// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How many messages came when: counts of equal steps of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace zlink::tool {

// However long it runs, it has at most `most` counts: when there would be more, each two become one.
class timeline {
public:
    explicit timeline(std::uint64_t step_ns = 100'000'000, std::size_t most = 600) : step_(step_ns), most_(most) {}

    // `at`: nanoseconds since the beginning.
    void add(std::uint64_t at, std::uint64_t messages = 1);

    std::uint64_t step_ns() const noexcept { return step_; }
    const std::vector<std::uint64_t>& counts() const noexcept { return counts_; }

private:
    std::uint64_t step_;
    std::size_t most_;
    std::vector<std::uint64_t> counts_;
};

}  // namespace zlink::tool
