// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Masks of WebSocket frames (RFC 6455 section 5.3): each octet of a payload is combined with one of four, in turn.
// Octets are masked while they are copied, 16 at a time; pure, and small enough to be inlined for short payloads.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace zlink::zws {

/// The four octets as they lie in memory. Zero masks nothing.
using mask = std::uint32_t;

/// The mask of a payload's rest behind its first `octets`.
[[nodiscard]] constexpr mask mask_behind(mask m, std::size_t octets) noexcept
{
    const int bits = int(octets % 4) * 8;
    return std::endian::native == std::endian::little ? std::rotr(m, bits) : std::rotl(m, bits);
}

namespace masking {

using block = std::uint64_t __attribute__((vector_size(16)));

template <class T>
[[nodiscard]] inline T load(const std::byte* from) noexcept
{
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class T>
inline void store(std::byte* to, T value) noexcept
{
    std::memcpy(to, &value, sizeof value);
}

[[nodiscard]] inline block repeated(mask m) noexcept
{
    const std::uint64_t twice = std::uint64_t{m} << 32 | m;
    return block{twice, twice};
}

template <class T>
inline void copy_two(std::byte* to, const std::byte* from, std::size_t n, T first, T last) noexcept
{
    const T a = T(load<T>(from) ^ first);
    const T b = T(load<T>(from + n - sizeof(T)) ^ last);
    store(to, a);
    store(to + n - sizeof(T), b);
}

}  // namespace masking

/// Copies a payload, masked (or unmasked, which is the same operation). `to` may overlap the octets behind it: it lies
/// before `from`, at it, or elsewhere. The end is read first, as storing must not pass it.
inline void copy_masked(std::byte* to, const std::byte* from, std::size_t n, mask m) noexcept
{
    using namespace masking;
    if (n >= sizeof(block)) {
        const block all = repeated(m);
        const std::size_t tail = n - sizeof(block);
        const block last = load<block>(from + tail) ^ repeated(mask_behind(m, tail));
        std::size_t i = 0;
        while (i + 4 * sizeof(block) <= tail) {
            const block a = load<block>(from + i) ^ all;
            const block b = load<block>(from + i + 16) ^ all;
            const block c = load<block>(from + i + 32) ^ all;
            const block d = load<block>(from + i + 48) ^ all;
            store(to + i, a);
            store(to + i + 16, b);
            store(to + i + 32, c);
            store(to + i + 48, d);
            i += 4 * sizeof(block);
        }
        for (; i < tail; i += sizeof(block)) store(to + i, load<block>(from + i) ^ all);
        return store(to + tail, last);
    }
    if (n >= 8) {
        const mask behind = mask_behind(m, n);
        return copy_two<std::uint64_t>(to, from, n, std::uint64_t{m} << 32 | m, std::uint64_t{behind} << 32 | behind);
    }
    if (n >= 4) return copy_two<std::uint32_t>(to, from, n, m, mask_behind(m, n));
    for (std::size_t i = 0; i < n; ++i)
        to[i] = from[i] ^ std::byte(load<std::uint8_t>(reinterpret_cast<const std::byte*>(&m) + i));
}

}  // namespace zlink::zws
