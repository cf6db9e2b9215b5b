// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Poly1305 in the four 64-bit lanes of AVX2 registers, five limbs of 26 bits: four messages at once, or four blocks of
// one. For x86-64 only; call it only if the processor has AVX2.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace zlink::crypto::avx2 {

inline constexpr std::size_t text_lanes = 4;
inline constexpr std::size_t part_size = 16;  // a block in the terms of Poly1305

/// Four numbers below 2^131, one in each lane.
struct limbs {
    __m256i v[5];
};

/// Four times 128 bits.
struct halves {
    __m256i low, high;
};

[[gnu::target("avx2"), gnu::always_inline]] inline __m256i each(std::uint64_t v) noexcept
{
    return _mm256_set1_epi64x(static_cast<long long>(v));
}

[[gnu::target("avx2"), gnu::always_inline]] inline __m128i load_part(const std::byte* from) noexcept
{
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}

[[gnu::target("avx2"), gnu::always_inline]] inline halves load_halves(const std::byte* a, const std::byte* b,
                                                                      const std::byte* c, const std::byte* d) noexcept
{
    const __m256i ac = _mm256_inserti128_si256(_mm256_castsi128_si256(load_part(a)), load_part(c), 1);
    const __m256i bd = _mm256_inserti128_si256(_mm256_castsi128_si256(load_part(b)), load_part(d), 1);
    return {_mm256_unpacklo_epi64(ac, bd), _mm256_unpackhi_epi64(ac, bd)};
}

/// `top` is the part above the 128 bits, in units of 2^104.
[[gnu::target("avx2"), gnu::always_inline]] inline limbs split(const halves& h, __m256i top) noexcept
{
    const __m256i mask = each(0x3ffffff);
    return {_mm256_and_si256(h.low, mask), _mm256_and_si256(_mm256_srli_epi64(h.low, 26), mask),
            _mm256_and_si256(_mm256_or_si256(_mm256_srli_epi64(h.low, 52), _mm256_slli_epi64(h.high, 12)), mask),
            _mm256_and_si256(_mm256_srli_epi64(h.high, 14), mask), _mm256_or_si256(_mm256_srli_epi64(h.high, 40), top)};
}

[[gnu::target("avx2"), gnu::always_inline]] inline limbs add(const limbs& a, const limbs& b) noexcept
{
    limbs sum;
    for (int i = 0; i < 5; ++i) sum.v[i] = _mm256_add_epi64(a.v[i], b.v[i]);
    return sum;
}

/// A factor of multiply(): its limbs, and five times those that go beyond 2^130.
struct factor {
    limbs r;
    __m256i r5[5];

    [[gnu::target("avx2"), gnu::always_inline]] explicit factor(const limbs& by) noexcept : r(by)
    {
        for (int i = 0; i < 5; ++i) r5[i] = _mm256_add_epi64(by.v[i], _mm256_slli_epi64(by.v[i], 2));
    }
};

[[gnu::target("avx2"), gnu::always_inline]] inline void carry(__m256i& from, __m256i& to) noexcept
{
    to = _mm256_add_epi64(to, _mm256_srli_epi64(from, 26));
    from = _mm256_and_si256(from, each(0x3ffffff));
}

/// From the highest limb to the lowest: 2^130 is 5.
[[gnu::target("avx2"), gnu::always_inline]] inline void carry_around(limbs& h) noexcept
{
    const __m256i over = _mm256_srli_epi64(h.v[4], 26);
    h.v[4] = _mm256_and_si256(h.v[4], each(0x3ffffff));
    h.v[0] = _mm256_add_epi64(h.v[0], _mm256_add_epi64(over, _mm256_slli_epi64(over, 2)));
}

/// Limbs of `a` below 2^28, those of `by` below 2^27; those of the product below 2^26 + 2^10.
[[gnu::target("avx2"), gnu::always_inline]] inline limbs multiply(const limbs& a, const factor& by) noexcept
{
    limbs d;
    for (int i = 0; i < 5; ++i) d.v[i] = _mm256_mul_epu32(a.v[0], by.r.v[i]);
    for (int j = 1; j < 5; ++j) {
        for (int i = 0; i < 5; ++i) {
            const __m256i& with = i >= j ? by.r.v[i - j] : by.r5[i - j + 5];
            d.v[i] = _mm256_add_epi64(d.v[i], _mm256_mul_epu32(a.v[j], with));
        }
    }
    // Two carry chains side by side, as far as the next multiplication needs them.
    carry(d.v[0], d.v[1]), carry(d.v[3], d.v[4]);
    carry(d.v[1], d.v[2]), carry_around(d);
    carry(d.v[2], d.v[3]), carry(d.v[0], d.v[1]);
    carry(d.v[3], d.v[4]);
    return d;
}

/// Octets 0 to 15 of four keys.
[[gnu::target("avx2"), gnu::always_inline]] inline limbs clamped(const halves& key) noexcept
{
    return split(
        {_mm256_and_si256(key.low, each(0x0ffffffc0fffffff)), _mm256_and_si256(key.high, each(0x0ffffffc0ffffffc))},
        _mm256_setzero_si256());
}

/// The authenticators: four sums modulo 2^130 - 5, and `pad` (octets 16 to 31 of the keys) added modulo 2^128.
[[gnu::target("avx2"), gnu::always_inline]] inline halves finish(limbs h, const halves& pad) noexcept
{
    // After the first turn the limbs except the lowest are below 2^26. The value that the second turn carries around
    // fits the lowest.
    for (int turn = 0; turn < 2; ++turn) {
        for (int i = 0; i < 4; ++i) carry(h.v[i], h.v[i + 1]);
        carry_around(h);
    }
    // If h is not below 2^130 - 5, h + 5 reaches 2^130; then the result is h + 5 without 2^130.
    limbs g = h;
    g.v[0] = _mm256_add_epi64(g.v[0], each(5));
    for (int i = 0; i < 4; ++i) carry(g.v[i], g.v[i + 1]);
    const __m256i reaches = _mm256_sub_epi64(_mm256_setzero_si256(), _mm256_srli_epi64(g.v[4], 26));
    for (int i = 0; i < 5; ++i) h.v[i] = _mm256_blendv_epi8(h.v[i], g.v[i], reaches);

    const __m256i low =
        _mm256_or_si256(_mm256_or_si256(h.v[0], _mm256_slli_epi64(h.v[1], 26)), _mm256_slli_epi64(h.v[2], 52));
    const __m256i high = _mm256_or_si256(_mm256_or_si256(_mm256_srli_epi64(h.v[2], 12), _mm256_slli_epi64(h.v[3], 14)),
                                         _mm256_slli_epi64(h.v[4], 40));
    halves sum{_mm256_add_epi64(low, pad.low), _mm256_add_epi64(high, pad.high)};
    const __m256i sign = each(1ull << 63);  // AVX2 has no unsigned comparison
    const __m256i overflow = _mm256_cmpgt_epi64(_mm256_xor_si256(low, sign), _mm256_xor_si256(sum.low, sign));
    sum.high = _mm256_sub_epi64(sum.high, overflow);
    return sum;
}

/// The input of one authenticator.
struct authenticated {
    const std::byte* key;  ///< 32 octets
    const std::byte* text;
    std::size_t size;

    [[nodiscard]] std::size_t whole_parts() const noexcept { return size / part_size; }
    [[nodiscard]] std::size_t parts() const noexcept { return (size + part_size - 1) / part_size; }
};

/// The last part of a text, if it is not whole: padded with 1 and zeros.
inline void pad_part(const std::byte* text, std::size_t size, std::byte* to) noexcept
{
    std::memset(to, 0, part_size);
    std::memcpy(to, text, size);
    to[size] = std::byte{1};
}

/// Four messages side by side, of any lengths; shorter ones wait for the longest. Tags are 16 octets each.
[[gnu::target("avx2")]] inline void authenticate_four(const authenticated* of, std::byte* tags) noexcept
{
    const __m256i whole = each(1ull << 24);
    const factor r(clamped(load_halves(of[0].key, of[1].key, of[2].key, of[3].key)));
    limbs h{_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(),
            _mm256_setzero_si256()};

    const auto [shortest, longest] = std::minmax({of[0].size, of[1].size, of[2].size, of[3].size});
    std::size_t at = 0;
    for (; at + part_size <= shortest; at += part_size) {
        h = multiply(
            add(h, split(load_halves(of[0].text + at, of[1].text + at, of[2].text + at, of[3].text + at), whole)), r);
    }
    for (; at < longest; at += part_size) {
        alignas(32) std::byte parts[text_lanes][part_size];
        alignas(32) std::uint64_t top[text_lanes], ended[text_lanes];
        for (std::size_t i = 0; i < text_lanes; ++i) {
            const std::size_t left = of[i].size > at ? of[i].size - at : 0;
            top[i] = left >= part_size ? 1ull << 24 : 0;
            ended[i] = left == 0 ? ~0ull : 0;
            if (left >= part_size) {
                std::memcpy(parts[i], of[i].text + at, part_size);
            } else if (left == 0) {
                std::memset(parts[i], 0, part_size);
            } else {
                pad_part(of[i].text + at, left, parts[i]);
            }
        }
        const __m256i tops = _mm256_load_si256(reinterpret_cast<const __m256i*>(top));
        const __m256i keep = _mm256_load_si256(reinterpret_cast<const __m256i*>(ended));
        const limbs next = multiply(add(h, split(load_halves(parts[0], parts[1], parts[2], parts[3]), tops)), r);
        for (int i = 0; i < 5; ++i) h.v[i] = _mm256_blendv_epi8(next.v[i], h.v[i], keep);
    }

    constexpr std::size_t half = part_size;
    const halves sum = finish(h, load_halves(of[0].key + half, of[1].key + half, of[2].key + half, of[3].key + half));
    const __m256i ac = _mm256_unpacklo_epi64(sum.low, sum.high), bd = _mm256_unpackhi_epi64(sum.low, sum.high);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(tags), _mm256_permute2x128_si256(ac, bd, 0x20));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(tags + 2 * part_size), _mm256_permute2x128_si256(ac, bd, 0x31));
}

/// One message, with parts that go through the lanes in turn. Each lane multiplies by r^4, the last time by r^4, r^3,
/// r^2 and r. Some lanes before the first part stay empty, so that the number of parts becomes a multiple of four.
class authenticator {
public:
    [[gnu::target("avx2"), gnu::always_inline]] authenticator(const std::byte* key, const std::byte* text,
                                                              std::size_t size) noexcept
        : key_(key),
          text_(text),
          size_(size),
          empty_((text_lanes - (size + part_size - 1) / part_size % text_lanes) % text_lanes)
    {
        const limbs r = clamped(load_halves(key, key, key, key));
        const limbs r2 = multiply(r, factor(r));
        limbs mixed;
        for (int i = 0; i < 5; ++i) mixed.v[i] = _mm256_unpacklo_epi64(r.v[i], r2.v[i]);
        const limbs r34 = multiply(mixed, factor(r2));  // r^3, r^4, r^3, r^4
        for (int i = 0; i < 5; ++i) {
            r4_.v[i] = _mm256_permute4x64_epi64(r34.v[i], 0x55);
            const __m256i r4321 = _mm256_blend_epi32(_mm256_permute4x64_epi64(r34.v[i], 0x01), r2.v[i], 0x30);
            last_.v[i] = _mm256_blend_epi32(r4321, r.v[i], 0xc0);
            h_.v[i] = _mm256_setzero_si256();
        }
    }

    /// Takes in the part of the text that is there: `until` octets.
    [[gnu::target("avx2"), gnu::always_inline]] void advance(std::size_t until) noexcept
    {
        constexpr std::size_t step = text_lanes * part_size;
        const factor r4(r4_);
        const std::size_t offset = empty_ * part_size;  // of the text in the lanes
        limbs h = h_;
        // All parts except the last four.
        while (at_ + step < size_ + offset && at_ + step <= until + offset) {
            h = multiply(add(h, at_ == 0 && offset != 0 ? edge() : inner(text_ + at_ - offset)), r4);
            at_ += step;
        }
        h_ = h;
    }

    /// Takes in the rest; the tag is 16 octets.
    [[gnu::target("avx2"), gnu::always_inline]] void finish(std::byte* tag) noexcept
    {
        advance(size_);
        limbs h = multiply(add(h_, edge()), factor(last_));
        for (int i = 0; i < 5; ++i) {
            h.v[i] = _mm256_add_epi64(h.v[i], _mm256_permute4x64_epi64(h.v[i], 0x4e));
            h.v[i] = _mm256_add_epi64(h.v[i], _mm256_shuffle_epi32(h.v[i], 0x4e));
        }
        const std::byte* const pad = key_ + part_size;
        const halves sum = avx2::finish(h, load_halves(pad, pad, pad, pad));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(tag),
                         _mm256_castsi256_si128(_mm256_unpacklo_epi64(sum.low, sum.high)));
    }

private:
    [[gnu::target("avx2"), gnu::always_inline]] static limbs inner(const std::byte* at) noexcept
    {
        return split(load_halves(at, at + part_size, at + 2 * part_size, at + 3 * part_size), each(1ull << 24));
    }

    /// Four parts of which some are empty or not whole.
    [[gnu::target("avx2"), gnu::always_inline]] limbs edge() const noexcept
    {
        alignas(32) std::byte parts[text_lanes][part_size];
        alignas(32) std::uint64_t top[text_lanes];
        for (std::size_t i = 0; i < text_lanes; ++i) {
            const std::size_t begin = at_ + i * part_size - empty_ * part_size;
            top[i] = 0;
            if (at_ == 0 && i < empty_) {
                std::memset(parts[i], 0, part_size);
            } else if (size_ - begin >= part_size) {
                std::memcpy(parts[i], text_ + begin, part_size);
                top[i] = 1ull << 24;
            } else {
                pad_part(text_ + begin, size_ - begin, parts[i]);
            }
        }
        return split(load_halves(parts[0], parts[1], parts[2], parts[3]),
                     _mm256_load_si256(reinterpret_cast<const __m256i*>(top)));
    }

    const std::byte* key_;
    const std::byte* text_;
    std::size_t size_;
    std::size_t empty_;   ///< lanes before the first part
    std::size_t at_ = 0;  ///< octets taken in, those of empty lanes included
    limbs r4_, last_, h_;
};

}  // namespace zlink::crypto::avx2
