// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A handful of topics, tried one by one. The first and the last eight octets tell them apart.
#pragma once

#include "pattern/routing/topic_octets.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace zlink::pattern::routing {

class few_topics {
public:
    using id = std::uint32_t;

    /// False, and nothing changed, if there are `most` already or if one is too similar to this one.
    [[nodiscard]] bool add(topic_octets topic, id number) noexcept;
    void remove(id number) noexcept;
    void clear() noexcept { count_ = 0; }

    /// Calls `possible(length, number)` for topics that `octets` may begin with, shortest first, until it returns
    /// false. It is called for all topics that match, and rarely for another one.
    template <class F>
    void match(topic_octets octets, F&& possible) const
    {
        const bool is_short = octets.size() < sizeof(std::uint64_t);
        const std::uint64_t first = is_short ? short_word(octets) : load_word(octets.data());
        for (const item *at = items_.data(), *end = at + count_; at != end; ++at) {
            if (at->length > octets.size()) return;
            // Of a topic that is short as well, both words are the same.
            const std::uint64_t last = is_short ? first : load_word(octets.data() + at->last_at);
            const std::uint64_t difference = (first ^ at->first) | (last ^ at->last);
            if ((difference & at->kept) == 0 && !possible(at->length, at->number)) return;
        }
    }

private:
    struct item {
        std::uint64_t first;
        std::uint64_t last;
        std::uint64_t kept;  ///< the octets that count in both words, fewer than eight for a short topic
        std::uint32_t last_at;
        std::uint32_t length;
        id number;
    };
    static constexpr std::size_t most = 16;

    std::array<item, most> items_;  ///< by length
    std::size_t count_ = 0;
};

}  // namespace zlink::pattern::routing
