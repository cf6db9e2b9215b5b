// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "zws/mask_source.hpp"

#include "base/random_octets.hpp"
#include "base/thread_state.hpp"

#include <algorithm>
#include <bit>
#include <span>

namespace zlink::zws {

namespace {

// The same word of four blocks.
using lanes = std::uint32_t __attribute__((vector_size(16)));

constexpr std::array<std::uint32_t, 4> constants{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};

inline void add_rotate(lanes& a, const lanes& b, lanes& d, int left) noexcept
{
    a += b;
    d ^= a;
    d = (d << left) | (d >> (32 - left));
}

inline void quarter_round(lanes& a, lanes& b, lanes& c, lanes& d) noexcept
{
    add_rotate(a, b, d, 16);
    add_rotate(c, d, b, 12);
    add_rotate(a, b, d, 8);
    add_rotate(c, d, b, 7);
}

void four_blocks(const chacha_key& key, std::uint32_t first, std::uint32_t* out) noexcept
{
    lanes begin[16];
    for (int i = 0; i < 4; ++i) begin[i] = lanes{} + constants[std::size_t(i)];
    for (int i = 0; i < 8; ++i) begin[4 + i] = lanes{} + key[std::size_t(i)];
    begin[12] = lanes{first, first + 1, first + 2, first + 3};
    begin[13] = begin[14] = begin[15] = lanes{};
    lanes s[16];
    std::copy(std::begin(begin), std::end(begin), std::begin(s));
    for (int round = 0; round < 10; ++round) {
        for (int i = 0; i < 4; ++i) quarter_round(s[i], s[4 + i], s[8 + i], s[12 + i]);
        for (int i = 0; i < 4; ++i) quarter_round(s[i], s[4 + (i + 1) % 4], s[8 + (i + 2) % 4], s[12 + (i + 3) % 4]);
    }
    for (int word = 0; word < 16; ++word) {
        const lanes sum = s[word] + begin[word];
        for (int block = 0; block < 4; ++block) out[block * 16 + word] = sum[block];
    }
}

}  // namespace

void fill_chacha_blocks(const chacha_key& key, chacha_blocks& out) noexcept
{
    four_blocks(key, 0, out.data());
    four_blocks(key, 4, out.data() + 4 * 16);
}

constinit mask_source mask_source::of_the_kernel_;

mask_source& mask_source::of_this_thread() noexcept
{
    mask_source* const mine = one_of_each_thread<thread_slot::masks, mask_source>::get();
    return mine ? *mine : of_the_kernel_;
}

mask mask_source::first_of_more() noexcept
{
    if (this == &of_the_kernel_) {
        mask one = 0;
        random_octets(std::as_writable_bytes(std::span(&one, 1)));
        return one;
    }
    refill();
    return octets_[at_++];
}

// The first words are the next key, and not used as masks.
void mask_source::refill() noexcept
{
    if (!seeded_ || generation_ != process_generation()) {
        random_octets(std::as_writable_bytes(std::span(key_)));
        generation_ = process_generation();
        seeded_ = true;
    }
    fill_chacha_blocks(key_, octets_);
    std::copy_n(octets_.begin(), key_.size(), key_.begin());
    std::fill_n(octets_.begin(), key_.size(), 0U);
    at_ = key_.size();
}

}  // namespace zlink::zws
