// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pure/timeline.hpp"

namespace zlink::tool {

void timeline::add(std::uint64_t at, std::uint64_t messages)
{
    while (at / step_ >= most_) {
        for (std::size_t pair = 0; 2 * pair < counts_.size(); ++pair) {
            const std::uint64_t second = 2 * pair + 1 < counts_.size() ? counts_[2 * pair + 1] : 0;
            counts_[pair] = counts_[2 * pair] + second;
        }
        counts_.resize((counts_.size() + 1) / 2);
        step_ *= 2;
    }
    const auto index = std::size_t(at / step_);
    if (index >= counts_.size()) {
        counts_.resize(index + 1);
    }
    counts_[index] += messages;
}

}  // namespace zlink::tool
