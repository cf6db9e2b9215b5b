// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Topics and messages as octets, and eight of them as a word.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace zlink::pattern::routing {

using topic_octets = std::span<const std::byte>;

/// The first octet lies in the lowest eight bits, whatever the machine.
[[nodiscard]] inline std::uint64_t load_word(const std::byte* from) noexcept
{
    std::uint64_t word;
    std::memcpy(&word, from, sizeof word);
    return std::endian::native == std::endian::little ? word : __builtin_bswap64(word);
}

/// Fewer than eight octets, with zeros behind them. They are joined in a register: to load them as a word from memory
/// that has just been written in pieces would wait for that.
[[nodiscard]] inline std::uint64_t short_word(topic_octets octets) noexcept
{
    const std::size_t size = octets.size();
    const auto octet = [&](std::size_t at) { return std::uint64_t(octets[at]) << (8 * at); };
    if (size < 4) return size == 0 ? 0 : octet(0) | octet(size / 2) | octet(size - 1);
    const auto half = [&](std::size_t at) {
        std::uint32_t word;
        std::memcpy(&word, octets.data() + at, sizeof word);
        return std::uint64_t(std::endian::native == std::endian::little ? word : __builtin_bswap32(word)) << (8 * at);
    };
    return half(0) | half(size - 4);
}

/// Eight octets from `at` on, with zeros for those behind the end.
[[nodiscard]] inline std::uint64_t word_at(topic_octets octets, std::size_t at) noexcept
{
    const std::size_t left = octets.size() - at;
    if (left >= 8) return load_word(octets.data() + at);
    if (left == 0) return 0;
    if (octets.size() >= 8) return load_word(octets.data() + octets.size() - 8) >> (8 * (8 - left));
    std::byte padded[8] = {};
    std::memcpy(padded, octets.data() + at, left);
    return load_word(padded);
}

/// Selects the first `count` octets of a word, 0 to 8.
[[nodiscard]] inline std::uint64_t first_octets(std::size_t count) noexcept
{
    return count == 0 ? 0 : ~std::uint64_t(0) >> (8 * (8 - count));
}

}  // namespace zlink::pattern::routing
