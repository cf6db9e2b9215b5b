// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Poly1305 of one short message, in three limbs of 44, 44 and 42 bits. For a single box that is too short for lanes to
// pay. For processors that multiply 64 bits by 64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace zlink::crypto {

/// `key` has 32 octets, `tag` 16.
inline void authenticate_lone(const std::byte* key, const std::byte* text, std::size_t size, std::byte* tag) noexcept
{
    __extension__ using wide = unsigned __int128;
    constexpr std::uint64_t mask44 = (1ull << 44) - 1, mask42 = (1ull << 42) - 1;
    std::uint64_t k[4];
    std::memcpy(k, key, sizeof k);
    k[0] &= 0x0ffffffc0fffffff;
    k[1] &= 0x0ffffffc0ffffffc;
    const std::uint64_t r0 = k[0] & mask44, r1 = (k[0] >> 44 | k[1] << 20) & mask44, r2 = k[1] >> 24;
    const std::uint64_t over1 = r1 * 20, over2 = r2 * 20;  // beyond 2^130, which is 5; limbs there begin at 2^132

    std::uint64_t h0 = 0, h1 = 0, h2 = 0;
    while (size != 0) {
        std::uint64_t part[2] = {0, 0}, top = 1ull << 40;
        std::size_t taken = sizeof part;
        if (size >= sizeof part) {
            std::memcpy(part, text, sizeof part);
        } else {
            taken = size;
            std::memcpy(part, text, taken);
            part[taken / 8] |= 1ull << (taken % 8 * 8);
            top = 0;
        }
        text += taken, size -= taken;
        h0 += part[0] & mask44;
        h1 += (part[0] >> 44 | part[1] << 20) & mask44;
        h2 += part[1] >> 24 | top;

        const wide d0 = wide{h0} * r0 + wide{h1} * over2 + wide{h2} * over1;
        const wide d1 = wide{h0} * r1 + wide{h1} * r0 + wide{h2} * over2 + std::uint64_t(d0 >> 44);
        const wide d2 = wide{h0} * r2 + wide{h1} * r1 + wide{h2} * r0 + std::uint64_t(d1 >> 44);
        h0 = (std::uint64_t(d0) & mask44) + std::uint64_t(d2 >> 42) * 5;
        h1 = (std::uint64_t(d1) & mask44) + (h0 >> 44);
        h2 = std::uint64_t(d2) & mask42;
        h0 &= mask44;
    }

    // The first turn may leave a five in the lowest limb that has to be carried on; the second turn leaves none.
    for (int turn = 0; turn < 2; ++turn) {
        h1 += h0 >> 44, h0 &= mask44;
        h2 += h1 >> 44, h1 &= mask44;
        h0 += (h2 >> 42) * 5, h2 &= mask42;
    }
    // If h is not below 2^130 - 5, h + 5 reaches 2^130; then the result is h + 5 without 2^130.
    std::uint64_t g0 = h0 + 5;
    std::uint64_t g1 = h1 + (g0 >> 44);
    std::uint64_t g2 = h2 + (g1 >> 44);
    const std::uint64_t reaches = 0 - (g2 >> 42);
    h0 = (h0 & ~reaches) | (g0 & mask44 & reaches);
    h1 = (h1 & ~reaches) | (g1 & mask44 & reaches);
    h2 = (h2 & ~reaches) | (g2 & mask42 & reaches);

    const wide sum = (wide{h1 >> 20 | h2 << 24} << 64 | (h0 | h1 << 44)) + (wide{k[3]} << 64 | k[2]);
    std::memcpy(tag, &sum, sizeof sum);
}

}  // namespace zlink::crypto
