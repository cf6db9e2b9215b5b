// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Copies and comparisons of a few octets without a call. Most messages and routing ids are small, and a call to memcpy
// costs as much as such a copy.
#pragma once

#include "base/many_octets.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace zlink {

/// The most octets that copy_octets() copies without a call.
inline constexpr std::size_t most_small_octets = 64;

namespace detail {

/// Octets that are loaded and stored at once.
template <class Block>
[[nodiscard]] [[gnu::always_inline]] inline Block load_block(const std::byte* from) noexcept
{
    Block block;
    std::memcpy(&block, from, sizeof block);
    return block;
}

template <class Block>
[[gnu::always_inline]] inline void store_block(std::byte* to, Block block) noexcept
{
    std::memcpy(to, &block, sizeof block);
}

using wide [[gnu::vector_size(16)]] = std::uint64_t;

/// Keeps the compiler from joining this load with its neighbours'.
[[nodiscard]] [[gnu::always_inline]] inline std::uint64_t load_word(const std::byte* from) noexcept
{
    auto word = load_block<std::uint64_t>(from);
    __asm__("" : "+r"(word));
    return word;
}

}  // namespace detail

/// As memcpy, up to most_small_octets; `size` may be 0. The first 16 octets go as two words. If a program has just
/// written a number there, as many do, a wider load would wait until the number has reached the cache.
[[gnu::always_inline]] inline void copy_small_octets(void* to, const void* from, std::size_t size) noexcept
{
    using namespace detail;
    auto* const t = static_cast<std::byte*>(to);
    const auto* const f = static_cast<const std::byte*>(from);
    // Blocks that overlap in the middle serve every size between two.
    if (size >= 16) [[likely]] {
        const std::uint64_t first = load_word(f);
        const std::uint64_t second = load_word(f + 8);
        const wide last = load_block<wide>(f + size - 16);
        if (size >= 32) [[likely]] {
            const wide third = load_block<wide>(f + 16);
            const wide last_but_one = load_block<wide>(f + size - 32);
            store_block(t + 16, third);
            store_block(t + size - 32, last_but_one);
        }
        store_block(t, first);
        store_block(t + 8, second);
        store_block(t + size - 16, last);
    } else if (size >= 8) {
        const auto first = load_block<std::uint64_t>(f);
        const auto last = load_block<std::uint64_t>(f + size - 8);
        store_block(t, first);
        store_block(t + size - 8, last);
    } else if (size >= 4) {
        const auto first = load_block<std::uint32_t>(f);
        const auto last = load_block<std::uint32_t>(f + size - 4);
        store_block(t, first);
        store_block(t + size - 4, last);
    } else {
        for (std::size_t i = 0; i < size; ++i) t[i] = f[i];
    }
}

/// As memcpy; `size` may be 0.
[[gnu::always_inline]] inline void copy_octets(void* to, const void* from, std::size_t size) noexcept
{
    using namespace detail;
    if (size <= most_small_octets) [[likely]]
        return copy_small_octets(to, from, size);
    auto* const t = static_cast<std::byte*>(to);
    const auto* const f = static_cast<const std::byte*>(from);
    store_block(t, load_word(f));
    store_block(t + 8, load_word(f + 8));
    // Not memcpy() here: with a limit to the size in sight, GCC makes a slow loop of it.
    copy_many_octets(t + 16, f + 16, size - 16);
}

/// As memcmp(...) == 0; `size` may be 0.
[[nodiscard]] [[gnu::always_inline]] inline bool equal_octets(const void* a, const void* b, std::size_t size) noexcept
{
    const auto* const x = static_cast<const std::byte*>(a);
    const auto* const y = static_cast<const std::byte*>(b);
    const auto differ = [&]<class Word>(Word, std::size_t at) {
        Word one, other;
        std::memcpy(&one, x + at, sizeof(Word));
        std::memcpy(&other, y + at, sizeof(Word));
        return one ^ other;
    };
    if (size >= 8 && size <= 16) {
        return (differ(std::uint64_t{}, 0) | differ(std::uint64_t{}, size - 8)) == 0;
    }
    if (size >= 4 && size < 8) return (differ(std::uint32_t{}, 0) | differ(std::uint32_t{}, size - 4)) == 0;
    return size == 0 || std::memcmp(x, y, size) == 0;
}

}  // namespace zlink
