// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Which prefixes of a message may be topics: reports all that are, and few that are not. A Bloom filter of two to
// four octets for each topic. So it stays in the processor's caches even if the topics themselves do not.
//
// It holds the hash of each topic. For each stride of eight octets that a topic goes beyond, it holds that the topic
// goes on. So a message that differs early needs few looks. When topics have many different lengths, it also holds the
// lengths that follow each such prefix. So one look tells which lengths to try in the next stride.
#pragma once

#include "base/huge_page_allocator.hpp"
#include "pattern/routing/prefix_hasher.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace zlink::pattern::routing {

class topic_filter {
public:
    /// Empties the filter and makes room for `room` topics. False when memory is short; nothing changed then.
    [[nodiscard]] bool reset(std::size_t room) noexcept;

    /// Gives up its memory, as at the beginning: nothing may be added then.
    void release() noexcept;

    /// Whether a topic of this length may be added. If not, all topics have to be added again, after reset() and
    /// expect().
    [[nodiscard]] bool covers(std::size_t length) const noexcept;
    void expect(std::size_t length) noexcept;

    /// Never fails, but a full filter reports too often that a prefix may be a topic. Added topics stay until reset().
    void add(prefix_hasher topic) noexcept;
    [[nodiscard]] bool full() const noexcept { return count_ >= words_.size() * most_per_word; }
    [[nodiscard]] bool roomy() const noexcept { return count_ * 8 <= words_.size() * most_per_word * 5; }

    /// Calls `possible(length, hash)` for each prefix that may be a topic, shortest first, until it returns false.
    template <class F>
    void match(prefix_hasher message, F&& possible) const
    {
        if (has_empty_ && !possible(0, message.of(0))) return;
        while (message.at() < longest_) {
            const std::uint64_t marks = marks_at(message.state());
            const std::size_t left = message.left();
            unsigned lengths = lengths_at(message.at());
            if (by_prefix_) lengths &= unsigned(marks >> 1);
            if (left < prefix_hasher::stride) lengths &= (1u << left) - 1;
            for (; lengths != 0; lengths &= lengths - 1) {
                const auto further = std::size_t(std::countr_zero(lengths)) + 1;
                const std::uint64_t hash = message.of(further);
                if ((marks_at(hash) & goes_on) && !possible(message.at() + further, hash)) return;
            }
            if (left <= prefix_hasher::stride || !(marks & goes_on)) return;
            message.advance();
        }
    }

private:
    static constexpr std::size_t most_per_word = 4;
    static constexpr std::size_t known_strides = 16;  ///< after them any length counts as possible

    // A word's marks for a hash. Bit 0: the hash was added. Bit n: a topic ends n octets further. Each is true if
    // two bits of the word are set.
    static constexpr std::uint64_t goes_on = 1;
    [[nodiscard]] std::uint64_t marks_at(std::uint64_t hash) const noexcept
    {
        const std::uint64_t word = words_[place(hash)];
        return std::rotr(word, int(hash & 63)) & std::rotr(word, int(hash >> 6 & 63));
    }
    void mark(std::uint64_t hash, std::size_t bit) noexcept;
    [[nodiscard]] std::size_t place(std::uint64_t hash) const noexcept { return hash >> 12 & (words_.size() - 1); }

    /// Bit n - 1: there are topics that end n octets behind `at`.
    [[nodiscard]] unsigned lengths_at(std::size_t at) const noexcept
    {
        const std::size_t i = at / prefix_hasher::stride;
        return i < known_strides ? lengths_[i] : 0xff;
    }

    huge_page_vector<std::uint64_t> words_;  ///< a power of two
    std::size_t count_ = 0;
    std::size_t longest_ = 0;
    bool has_empty_ = false;
    bool by_prefix_ = false;  ///< lengths are marked behind each prefix
    std::array<std::uint8_t, known_strides> lengths_{};
};

}  // namespace zlink::pattern::routing
