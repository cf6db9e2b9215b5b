// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The implementations of boxes, each by its own table: the boxes are the same, and each opens those of the others.
#include "crypto/box_functions.hpp"

#include "box_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace zlink::crypto {
namespace {

std::vector<const box_functions*> tables()
{
    std::vector<const box_functions*> found{&sodium_box, avx2_box(), avx512_box()};
    std::erase(found, nullptr);
    return found;
}

octets sealed_by(const box_functions& by, const box_key& key, std::uint64_t number, const octets& text)
{
    octets out(text.size() + box_overhead);
    const box_to_seal to_seal = of(number, text, out.data());
    by.seal(key, {&to_seal, 1});
    return out;
}

TEST(box_functions_test, a_table_says_which_implementation_it_is)
{
    EXPECT_EQ(box_implementation::libsodium, sodium_box.which);
    if (const box_functions* const avx2 = avx2_box()) {
        EXPECT_EQ(box_implementation::avx2, avx2->which);
    }
    if (const box_functions* const avx512 = avx512_box()) {
        EXPECT_EQ(box_implementation::avx512, avx512->which);
    }
}

TEST(box_functions_test, there_is_a_table_of_each_implementation_that_this_processor_can_run)
{
    EXPECT_TRUE(is_available(box_implementation::libsodium));
    EXPECT_EQ(is_available(box_implementation::avx2), avx2_box() != nullptr);
    EXPECT_EQ(is_available(box_implementation::avx512), avx512_box() != nullptr);
}

TEST(box_functions_test, all_seal_alike_and_open_what_any_has_sealed)
{
    random_octets random(7);
    const shared_secret secret(random);
    const box_key key(secret.key(), secret.nonce_prefix());
    for (const std::size_t size : {1u, 2u, 33u, 64u, 65u, 1000u, 5000u, 70'000u}) {
        const octets text = random.make(size);
        const std::uint64_t number = random.number();
        const octets expected = secret.seal_plainly(number, text);
        for (const box_functions* const by : tables()) {
            EXPECT_EQ(expected, sealed_by(*by, key, number, text)) << int(by->which) << ' ' << size;
            octets opened(size - 1);
            box_to_open to_open{number, expected, opened.data()};
            ASSERT_EQ(1u, by->open(key, {&to_open, 1})) << int(by->which) << ' ' << size;
            EXPECT_EQ(std::uint8_t(text[0]), to_open.first);
            EXPECT_TRUE(std::ranges::equal(opened, std::span(text).subspan(1))) << int(by->which) << ' ' << size;
        }
    }
}

TEST(box_functions_test, none_opens_a_box_with_a_changed_bit)
{
    random_octets random(8);
    const shared_secret secret(random);
    const box_key key(secret.key(), secret.nonce_prefix());
    const octets good = secret.seal_plainly(3, random.make(100));
    for (const box_functions* const by : tables()) {
        for (std::size_t at = 0; at < good.size(); ++at) {
            octets bad = good;
            bad[at] ^= std::byte{0x10};
            octets opened(good.size());
            box_to_open to_open{3, bad, opened.data()};
            EXPECT_EQ(0u, by->open(key, {&to_open, 1})) << int(by->which) << ' ' << at;
        }
    }
}

}  // namespace
}  // namespace zlink::crypto
