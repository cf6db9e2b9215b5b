// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Salsa20: eight blocks at once, one in each 32-bit lane of AVX2 registers, of any nonces and counters under one key.
// For x86-64 only; call it only if the processor has AVX2.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace zlink::crypto::avx2 {

inline constexpr std::size_t block_size = 64;
inline constexpr std::size_t block_lanes = 8;

/// Which block of which stream each lane computes. The nonce's octets, read as little-endian words; counters stay below
/// 2^32.
struct alignas(32) block_names {
    std::uint32_t nonce_front[block_lanes];
    std::uint32_t nonce_back[block_lanes];
    std::uint32_t counter[block_lanes];
};

/// The 16 words of eight blocks, each register a word.
struct block_words {
    __m256i w[16];
};

/// w[to] ^= (w[a] + w[b]) rotated by n to the left. Written with operators: a caller with AVX-512VL gets its rotations.
template <int to, int a, int b, int n>
[[gnu::target("avx2"), gnu::always_inline]] inline void salsa20_step(block_words& x) noexcept
{
    using words [[gnu::vector_size(32)]] = std::uint32_t;
    const words sum = words(x.w[a]) + words(x.w[b]);
    x.w[to] = __m256i(words(x.w[to]) ^ (sum << n | sum >> (32 - n)));
}

/// Columns, then rows. The steps of the four quarter rounds are interleaved, as the steps within one wait for each
/// other.
[[gnu::target("avx2"), gnu::always_inline]] inline void salsa20_double_round(block_words& x) noexcept
{
    salsa20_step<4, 0, 12, 7>(x), salsa20_step<9, 5, 1, 7>(x), salsa20_step<14, 10, 6, 7>(x),
        salsa20_step<3, 15, 11, 7>(x);
    salsa20_step<8, 4, 0, 9>(x), salsa20_step<13, 9, 5, 9>(x), salsa20_step<2, 14, 10, 9>(x),
        salsa20_step<7, 3, 15, 9>(x);
    salsa20_step<12, 8, 4, 13>(x), salsa20_step<1, 13, 9, 13>(x), salsa20_step<6, 2, 14, 13>(x),
        salsa20_step<11, 7, 3, 13>(x);
    salsa20_step<0, 12, 8, 18>(x), salsa20_step<5, 1, 13, 18>(x), salsa20_step<10, 6, 2, 18>(x),
        salsa20_step<15, 11, 7, 18>(x);

    salsa20_step<1, 0, 3, 7>(x), salsa20_step<6, 5, 4, 7>(x), salsa20_step<11, 10, 9, 7>(x),
        salsa20_step<12, 15, 14, 7>(x);
    salsa20_step<2, 1, 0, 9>(x), salsa20_step<7, 6, 5, 9>(x), salsa20_step<8, 11, 10, 9>(x),
        salsa20_step<13, 12, 15, 9>(x);
    salsa20_step<3, 2, 1, 13>(x), salsa20_step<4, 7, 6, 13>(x), salsa20_step<9, 8, 11, 13>(x),
        salsa20_step<14, 13, 12, 13>(x);
    salsa20_step<0, 3, 2, 18>(x), salsa20_step<5, 4, 7, 18>(x), salsa20_step<10, 9, 8, 18>(x),
        salsa20_step<15, 14, 13, 18>(x);
}

[[gnu::target("avx2"), gnu::always_inline]] inline __m256i in_all(std::uint32_t word) noexcept
{
    return _mm256_set1_epi32(int(word));
}

[[gnu::target("avx2"), gnu::always_inline]] inline __m256i load_words(const std::uint32_t* from) noexcept
{
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
}

/// The state that the rounds begin with, and that is added to their result.
[[gnu::target("avx2"), gnu::always_inline]] inline block_words salsa20_input(const std::byte* key,
                                                                             const block_names& names) noexcept
{
    std::uint32_t k[8];
    std::memcpy(k, key, sizeof k);
    return {in_all(0x61707865),
            in_all(k[0]),
            in_all(k[1]),
            in_all(k[2]),  // "expa"
            in_all(k[3]),
            in_all(0x3320646e),
            load_words(names.nonce_front),
            load_words(names.nonce_back),  // "nd 3"
            load_words(names.counter),
            _mm256_setzero_si256(),
            in_all(0x79622d32),
            in_all(k[4]),  // "2-by"
            in_all(k[5]),
            in_all(k[6]),
            in_all(k[7]),
            in_all(0x6b206574)};  // "te k"
}

/// Words 0 to 7 or 8 to 15 of eight blocks become half a block for each lane, block_size octets apart.
[[gnu::target("avx2"), gnu::always_inline]] inline void store_halves(const __m256i* w, std::byte* to) noexcept
{
    __m256i pairs[8], fours[8];
    for (int i = 0; i < 4; ++i) {
        pairs[2 * i] = _mm256_unpacklo_epi32(w[2 * i], w[2 * i + 1]);      // lanes 0 1, 4 5
        pairs[2 * i + 1] = _mm256_unpackhi_epi32(w[2 * i], w[2 * i + 1]);  // lanes 2 3, 6 7
    }
    for (int i = 0; i < 2; ++i) {
        fours[4 * i] = _mm256_unpacklo_epi64(pairs[4 * i], pairs[4 * i + 2]);          // lanes 0, 4
        fours[4 * i + 1] = _mm256_unpackhi_epi64(pairs[4 * i], pairs[4 * i + 2]);      // lanes 1, 5
        fours[4 * i + 2] = _mm256_unpacklo_epi64(pairs[4 * i + 1], pairs[4 * i + 3]);  // lanes 2, 6
        fours[4 * i + 3] = _mm256_unpackhi_epi64(pairs[4 * i + 1], pairs[4 * i + 3]);  // lanes 3, 7
    }
    for (int i = 0; i < 4; ++i) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + std::size_t(i) * block_size),
                            _mm256_permute2x128_si256(fours[i], fours[i + 4], 0x20));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + std::size_t(i + 4) * block_size),
                            _mm256_permute2x128_si256(fours[i], fours[i + 4], 0x31));
    }
}

[[gnu::target("avx2"), gnu::always_inline]] inline void salsa20_inlined(const std::byte* key, const block_names& names,
                                                                        std::byte* to) noexcept
{
    block_words x = salsa20_input(key, names);
    for (int i = 0; i < 10; ++i) salsa20_double_round(x);
    const block_words input = salsa20_input(key, names);
    for (int i = 0; i < 16; ++i) x.w[i] = _mm256_add_epi32(x.w[i], input.w[i]);
    store_halves(x.w, to);
    store_halves(x.w + 8, to + block_size / 2);
}

/// Eight blocks of key stream, one behind the other.
[[gnu::target("avx2")]] inline void salsa20_by_avx2(const std::byte* key, const block_names& names,
                                                    std::byte* to) noexcept
{
    salsa20_inlined(key, names, to);
}

/// The same with rotations in one instruction and twice as many registers, which halves the time.
[[gnu::target("avx2,avx512f,avx512vl")]] inline void salsa20_by_avx512(const std::byte* key, const block_names& names,
                                                                       std::byte* to) noexcept
{
    salsa20_inlined(key, names, to);
}

using salsa20_blocks = void (*)(const std::byte* key, const block_names&, std::byte* to) noexcept;

}  // namespace zlink::crypto::avx2
