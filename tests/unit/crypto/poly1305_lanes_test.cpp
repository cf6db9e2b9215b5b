// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The authenticator by itself: what keys of real boxes do not come to, such as sums just above 2^130 - 5.
#include "crypto/box.hpp"

#include <sodium.h>

#include <array>
#include <cstring>
#include <random>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#if defined(__x86_64__)

#include "crypto/poly1305_lanes.hpp"
#include "crypto/poly1305_lone.hpp"

namespace zlink::crypto::avx2 {
namespace {

using octets = std::vector<std::byte>;
using tag = std::array<std::byte, part_size>;

const unsigned char* raw(const std::byte* at)
{
    return reinterpret_cast<const unsigned char*>(at);
}

octets from_hex(std::string_view text)
{
    octets out(text.size() / 2);
    EXPECT_EQ(sodium_hex2bin(reinterpret_cast<unsigned char*>(out.data()), out.size(), text.data(), text.size(),
                             nullptr, nullptr, nullptr),
              0);
    return out;
}

tag by_sodium(const authenticated& of)
{
    tag out;
    (void)crypto_onetimeauth_poly1305(reinterpret_cast<unsigned char*>(out.data()), raw(of.text), of.size, raw(of.key));
    return out;
}

/// The text comes in stretches of `stretch` octets.
[[gnu::target("avx2")]] tag by_one(const authenticated& of, std::size_t stretch)
{
    tag out;
    authenticator a(of.key, of.text, of.size);
    for (std::size_t at = stretch; at < of.size; at += stretch) a.advance(at);
    a.finish(out.data());
    return out;
}

[[gnu::target("avx2")]] std::array<tag, text_lanes> by_four(const authenticated* of)
{
    std::array<tag, text_lanes> out;
    authenticate_four(of, out[0].data());
    return out;
}

class poly1305_lanes_test : public testing::Test {
protected:
    void expect_all_agree(const std::vector<authenticated>& texts)
    {
        if (!is_available(box_implementation::avx2)) return;  // nothing calls it
        for (const authenticated& text : texts) {
            tag lone;
            authenticate_lone(text.key, text.text, text.size, lone.data());
            ASSERT_EQ(lone, by_sodium(text)) << text.size;
            for (const std::size_t stretch : {1000000u, 1u, 16u, 97u, 512u}) {
                ASSERT_EQ(by_one(text, stretch), by_sodium(text)) << text.size << ' ' << stretch;
            }
        }
        for (std::size_t i = 0; i + text_lanes <= texts.size(); ++i) {
            const auto tags = by_four(&texts[i]);
            for (std::size_t lane = 0; lane < text_lanes; ++lane)
                ASSERT_EQ(tags[lane], by_sodium(texts[i + lane])) << i;
        }
    }
};

struct vector_case {
    std::string_view key, text, tag;
};

// RFC 8439, A.3, test vectors 7 to 11.
constexpr vector_case vectors[] = {
    {"0200000000000000000000000000000000000000000000000000000000000000", "ffffffffffffffffffffffffffffffff",
     "03000000000000000000000000000000"},
    {"02000000000000000000000000000000ffffffffffffffffffffffffffffffff", "02000000000000000000000000000000",
     "03000000000000000000000000000000"},
    {"0100000000000000000000000000000000000000000000000000000000000000",
     "fffffffffffffffffffffffffffffffff0ffffffffffffffffffffffffffffff11000000000000000000000000000000",
     "05000000000000000000000000000000"},
    {"0100000000000000000000000000000000000000000000000000000000000000",
     "fffffffffffffffffffffffffffffffffbfefefefefefefefefefefefefefefe01010101010101010101010101010101",
     "00000000000000000000000000000000"},
    {"0200000000000000000000000000000000000000000000000000000000000000", "fdffffffffffffffffffffffffffffff",
     "faffffffffffffffffffffffffffffff"},
};

TEST_F(poly1305_lanes_test, give_the_tags_of_the_rfc)
{
    std::vector<octets> kept;
    std::vector<authenticated> texts;
    for (const vector_case& v : vectors) {
        kept.push_back(from_hex(v.key)), kept.push_back(from_hex(v.text));
    }
    for (std::size_t i = 0; i < kept.size(); i += 2)
        texts.push_back({kept[i].data(), kept[i + 1].data(), kept[i + 1].size()});
    for (std::size_t i = 0; i < std::size(vectors); ++i) {
        EXPECT_TRUE(std::ranges::equal(by_sodium(texts[i]), from_hex(vectors[i].tag))) << i;
    }
    expect_all_agree(texts);
}

// Keys and texts of many ones and zeros bring limbs to their bounds and sums around the modulus.
TEST_F(poly1305_lanes_test, agree_with_libsodium_at_the_bounds)
{
    std::mt19937_64 random(8);
    const auto extreme = [&](std::size_t size) {
        octets out(size);
        const auto kind = random() % 4;
        for (std::byte& b : out) {
            const auto v = random();
            b = kind == 0     ? std::byte(v)
                : v % 16 != 0 ? std::byte(kind == 1   ? 0xff
                                          : kind == 2 ? 0
                                          : v & 16    ? 0xff
                                                      : 0)
                              : std::byte(v >> 8);
        }
        return out;
    };
    for (int round = 0; round < 1500; ++round) {
        std::vector<octets> kept;
        std::vector<authenticated> texts;
        const std::size_t limit = round % 3 == 0 ? 40 : 300;
        for (std::size_t i = 0; i < text_lanes; ++i)
            kept.push_back(extreme(32)), kept.push_back(extreme(1 + random() % limit));
        for (std::size_t i = 0; i < kept.size(); i += 2)
            texts.push_back({kept[i].data(), kept[i + 1].data(), kept[i + 1].size()});
        expect_all_agree(texts);
        if (HasFatalFailure()) return;
    }
}

// With r = 1 the sum is that of the parts, each with 2^128 on top: here 2^130 - 256 and the 255 numbers behind it.
TEST_F(poly1305_lanes_test, reduce_sums_next_to_the_modulus)
{
    const octets key = from_hex("0100000000000000000000000000000000000000000000000000000000000000");
    for (int lowest = 0; lowest < 256; ++lowest) {
        octets text(3 * part_size);
        std::fill(text.begin() + 1, text.begin() + part_size, std::byte{0xff});
        text[2 * part_size] = std::byte(lowest);
        expect_all_agree(std::vector<authenticated>(4, {key.data(), text.data(), text.size()}));
        if (HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace zlink::crypto::avx2

#endif
