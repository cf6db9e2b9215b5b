// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Numbers of topics by the hash of the topic: open addressing, eight octets a slot. The caller defines the meaning of a
// number.
#pragma once

#include "base/huge_page_allocator.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace zlink::pattern::routing {

class topic_index {
public:
    using id = std::uint32_t;
    static constexpr id none = 0xffffffff;

    /// The number with this hash for which `is_it(number)` is true; or `none`.
    template <class F>
    [[nodiscard]] id find(std::uint64_t hash, F&& is_it) const
    {
        if (count_ == 0) return none;
        const auto tag = std::uint32_t(hash >> 32);
        for (std::size_t i = home(tag); slots_[i].topic != none; i = next(i)) {
            if (slots_[i].tag == tag && is_it(slots_[i].topic)) return slots_[i].topic;
        }
        return none;
    }

    /// Makes sure that insert() has room. False when memory is short.
    [[nodiscard]] bool reserve_one_more() noexcept;
    void insert(std::uint64_t hash, id topic) noexcept;

    /// The number must be here with this hash.
    void erase(std::uint64_t hash, id topic) noexcept;

    void release() noexcept;

private:
    struct slot {
        std::uint32_t tag = 0;
        id topic = none;
    };

    bool resize(std::size_t slots) noexcept;
    void put(slot s) noexcept;

    [[nodiscard]] std::size_t home(std::uint32_t tag) const noexcept { return (tag * slots_.size()) >> 32; }
    [[nodiscard]] std::size_t next(std::size_t i) const noexcept { return (i + 1) & (slots_.size() - 1); }

    huge_page_vector<slot> slots_;  ///< a power of two of them, at most three quarters used
    std::size_t count_ = 0;
};

}  // namespace zlink::pattern::routing
