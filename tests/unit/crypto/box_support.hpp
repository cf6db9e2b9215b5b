// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What the tests of boxes share: random octets, and libsodium's crypto_box_easy_afternm as the oracle.
#pragma once

#include "crypto/box.hpp"

#include <sodium.h>

#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace zlink::crypto {

using octets = std::vector<std::byte>;

inline const unsigned char* raw(const std::byte* at)
{
    return reinterpret_cast<const unsigned char*>(at);
}

inline unsigned char* raw(std::byte* at)
{
    return reinterpret_cast<unsigned char*>(at);
}

inline octets from_hex(std::string_view text)
{
    octets out(text.size() / 2);
    std::size_t size = 0;
    EXPECT_EQ(sodium_hex2bin(raw(out.data()), out.size(), text.data(), text.size(), nullptr, &size, nullptr), 0);
    EXPECT_EQ(size, out.size());
    return out;
}

/// Octets that are the same in every run.
class random_octets {
public:
    explicit random_octets(std::uint64_t seed) : engine_(seed) {}

    void fill(std::span<std::byte> to)
    {
        std::size_t i = 0;
        for (; i + 8 <= to.size(); i += 8) {
            const std::uint64_t v = engine_();
            std::memcpy(&to[i], &v, 8);
        }
        for (; i < to.size(); ++i) to[i] = std::byte(engine_());
    }

    octets make(std::size_t size)
    {
        octets out(size);
        fill(out);
        return out;
    }

    std::uint64_t number() { return engine_(); }
    std::size_t below(std::size_t limit) { return std::size_t(engine_() % limit); }

private:
    std::mt19937_64 engine_;
};

/// A shared key and a prefix of nonces, and what crypto_box_easy_afternm makes of them.
struct shared_secret {
    octets shared;
    octets prefix;

    explicit shared_secret(random_octets& random) : shared(random.make(32)), prefix(random.make(16)) {}
    shared_secret(octets s, octets p) : shared(std::move(s)), prefix(std::move(p)) {}

    [[nodiscard]] std::span<const std::byte, 32> key() const { return std::span<const std::byte, 32>(shared); }
    [[nodiscard]] std::span<const std::byte, 16> nonce_prefix() const { return std::span<const std::byte, 16>(prefix); }

    /// Seals `text`, whose first octet is the frame's flags, into `to`.
    void seal_plainly(std::uint64_t number, std::span<const std::byte> text, std::byte* to) const
    {
        unsigned char nonce[24];
        std::memcpy(nonce, prefix.data(), 16);
        for (int i = 0; i < 8; ++i) nonce[16 + i] = static_cast<unsigned char>(number >> (56 - 8 * i));
        ASSERT_EQ(crypto_box_easy_afternm(raw(to), raw(text.data()), text.size(), nonce, raw(shared.data())), 0);
    }

    [[nodiscard]] octets seal_plainly(std::uint64_t number, std::span<const std::byte> text) const
    {
        octets out(text.size() + box_overhead);
        seal_plainly(number, text, out.data());
        return out;
    }
};

inline box_to_seal of(std::uint64_t number, std::span<const std::byte> text, std::byte* to)
{
    return {number, std::uint8_t(text[0]), text.subspan(1), to};
}

inline std::vector<box_implementation> implementations()
{
    std::vector<box_implementation> found{box_implementation::libsodium, box_implementation::avx2,
                                          box_implementation::avx512};
    std::erase_if(found, [](box_implementation which) { return !is_available(which); });
    return found;
}

/// A test that runs with each implementation.
class with_implementation : public testing::TestWithParam<box_implementation> {
protected:
    void SetUp() override { use_box_implementation(GetParam()); }
    void TearDown() override { use_box_implementation(box_implementation::avx512); }
};

inline std::string name_of(const testing::TestParamInfo<box_implementation>& test)
{
    switch (test.param) {
    case box_implementation::avx512: return "avx512";
    case box_implementation::avx2: return "avx2";
    default: return "libsodium";
    }
}

/// A run of boxes one behind the other, as a peer sends them, with `gap` octets in front of each.
struct run_of_boxes {
    std::vector<octets> texts;
    std::uint64_t first_number = 0;
    octets stream;
    std::vector<std::size_t> at;  ///< where in `stream` each begins

    run_of_boxes(random_octets& random, const shared_secret& secret, const std::vector<std::size_t>& sizes,
                 std::size_t gap)
        : first_number(random.number() >> 1)
    {
        for (const std::size_t size : sizes) {
            texts.push_back(random.make(size));
            stream.resize(stream.size() + gap);
            at.push_back(stream.size());
            const octets sealed = secret.seal_plainly(first_number + at.size() - 1, texts.back());
            stream.insert(stream.end(), sealed.begin(), sealed.end());
        }
    }

    [[nodiscard]] std::span<const std::byte> sealed(std::size_t i) const
    {
        return {stream.data() + at[i], texts[i].size() + box_overhead};
    }
};

inline std::vector<std::size_t> random_sizes(random_octets& random, std::size_t count, std::size_t limit)
{
    std::vector<std::size_t> sizes(count);
    for (std::size_t& size : sizes) size = 1 + random.below(random.below(4) == 0 ? limit : 100);
    return sizes;
}

}  // namespace zlink::crypto
