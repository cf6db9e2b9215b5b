// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/input_probe.hpp"

#include <cstdint>
#include <optional>
#include <utility>

namespace zlink::socket {

namespace {

// The sum changes if any of the counts does, as all of them only grow. None: a reading is under way, or has left input
// behind.
std::optional<std::uint64_t> sum_of_readings(input_probe::workers all) noexcept
{
    std::uint64_t sum = 0;
    for (const auto& w : all) {
        const std::uint64_t n = w->loop().readings();
        if (n % 2 != 0 || w->loop().input_left_behind()) return {};
        sum += n;
    }
    return sum;
}

}  // namespace

void input_probe::open(workers all) noexcept
{
    runtime::readiness_set set;
    if (!set.open()) return;
    for (const auto& w : all) {
        if (!set.add(w->loop().awaited_descriptor())) return;
    }
    set_ = std::move(set);
}

bool input_probe::nothing_ready(workers all) const noexcept
{
    const auto before = sum_of_readings(all);
    if (!before || !set_) return false;
    return set_.nothing_ready() && sum_of_readings(all) == before;
}

}  // namespace zlink::socket
