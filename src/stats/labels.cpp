// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "stats/labels.hpp"

#include <utility>

namespace zlink::stats {

std::string different_texts::add(std::string text, std::uint64_t number)
{
    while (!taken_.insert(text).second) text += "-" + std::to_string(number);
    return text;
}

void socket_labels::assign(process_report& to)
{
    std::unordered_map<std::uint64_t, entry> now;
    different_texts taken;
    now.reserve(to.sockets.size());
    for (const socket_report& one : to.sockets) {
        const auto before = known_.find(one.numbers.number);
        if (before == known_.end() || before->second.name != one.numbers.name) continue;
        taken.reserve_text(before->second.label);
        now.insert(*before);
    }
    for (socket_report& one : to.sockets) {
        const std::uint64_t number = one.numbers.number;
        const auto [at, added] = now.try_emplace(number, entry{one.numbers.name, {}});
        if (added) {
            const std::string& name = one.numbers.name;
            at->second.label = taken.add(
                name.empty() ? std::string(name_of(one.numbers.type)) + "-" + std::to_string(number) : name, number);
        }
        one.label = at->second.label;
    }
    known_ = std::move(now);
}

}  // namespace zlink::stats
