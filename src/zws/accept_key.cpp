// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "zws/accept_key.hpp"

#include "base/byte_order.hpp"
#include "base/random_octets.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace zlink::zws {

namespace {

constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

using sha1_state = std::array<std::uint32_t, 5>;

void add_block(sha1_state& h, const std::byte* block) noexcept
{
    std::array<std::uint32_t, 80> w;
    for (std::size_t i = 0; i < 16; ++i) {
        w[i] = load_be32(block + 4 * i);
    }
    for (std::size_t i = 16; i < 80; ++i) w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    auto [a, b, c, d, e] = h;
    for (std::size_t i = 0; i < 80; ++i) {
        std::uint32_t mixed = 0;
        if (i < 20) {
            mixed = ((b & c) | (~b & d)) + 0x5a827999;
        } else if (i < 40) {
            mixed = (b ^ c ^ d) + 0x6ed9eba1;
        } else if (i < 60) {
            mixed = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
        } else {
            mixed = (b ^ c ^ d) + 0xca62c1d6;
        }
        const std::uint32_t next = std::rotl(a, 5) + mixed + e + w[i];
        e = d;
        d = c;
        c = std::rotl(b, 30);
        b = a;
        a = next;
    }
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
    h[4] += e;
}

}  // namespace

std::array<std::byte, 20> sha1(std::string_view text)
{
    constexpr std::size_t block = 64;
    std::string padded(text);
    padded += char(0x80);
    while (padded.size() % block != block - 8) padded += '\0';
    std::byte length[8];
    store_be64(length, std::uint64_t{text.size()} * 8);
    padded.append(reinterpret_cast<const char*>(length), sizeof length);
    sha1_state h{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    for (std::size_t at = 0; at < padded.size(); at += block) {
        add_block(h, reinterpret_cast<const std::byte*>(padded.data() + at));
    }
    std::array<std::byte, 20> out;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::byte(h[i / 4] >> (24 - i % 4 * 8));
    return out;
}

std::string base64(std::span<const std::byte> octets)
{
    std::string out;
    for (std::size_t at = 0; at < octets.size(); at += 3) {
        const std::size_t there = std::min<std::size_t>(3, octets.size() - at);
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < 3; ++i) bits = bits << 8 | (i < there ? std::uint32_t(octets[at + i]) : 0);
        for (std::size_t i = 0; i < 4; ++i) out += i <= there ? digits[bits >> (18 - 6 * i) & 63] : '=';
    }
    return out;
}

std::string accept_for(std::string_view key)
{
    return base64(sha1(std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"));
}

std::string new_key()
{
    std::array<std::byte, 16> octets;
    random_octets(octets);
    return base64(octets);
}

bool is_key(std::string_view text) noexcept
{
    return text.size() == 24 && text.ends_with("==") &&
           text.substr(0, 22).find_first_not_of(digits) == std::string_view::npos;
}

}  // namespace zlink::zws
