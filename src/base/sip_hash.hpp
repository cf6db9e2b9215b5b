// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// SipHash-2-4 (Aumasson, Bernstein): without the key, a number reveals neither the key nor the next number.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace zlink {

using sip_key = std::array<std::uint64_t, 2>;

/// Of the 16 octets that are `first` and `second`, little-endian.
[[nodiscard]] constexpr std::uint64_t sip_hash(const sip_key& key, std::uint64_t first, std::uint64_t second) noexcept
{
    std::uint64_t a = key[0] ^ 0x736f6d6570736575, b = key[1] ^ 0x646f72616e646f6d;
    std::uint64_t c = key[0] ^ 0x6c7967656e657261, d = key[1] ^ 0x7465646279746573;
    const auto rounds = [&](int count) {
        for (int i = 0; i < count; ++i) {
            a += b;
            c += d;
            b = std::rotl(b, 13) ^ a;
            d = std::rotl(d, 16) ^ c;
            a = std::rotl(a, 32) + d;
            c += b;
            d = std::rotl(d, 21) ^ a;
            b = std::rotl(b, 17) ^ c;
            c = std::rotl(c, 32);
        }
    };
    constexpr std::uint64_t length = 16;
    for (const std::uint64_t word : {first, second, length << 56}) {
        d ^= word;
        rounds(2);
        a ^= word;
    }
    c ^= 0xff;
    rounds(4);
    return a ^ b ^ c ^ d;
}

}  // namespace zlink
