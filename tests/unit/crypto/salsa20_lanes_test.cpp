// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Key streams by themselves: each lane computes the block it was told to, whatever its neighbours do.
#include "crypto/box.hpp"

#include <sodium.h>

#include <cstring>
#include <random>

#include <gtest/gtest.h>

#if defined(__x86_64__)

#include "crypto/salsa20_lanes.hpp"

namespace zlink::crypto::avx2 {
namespace {

void expect_blocks_of_libsodium(salsa20_blocks blocks)
{
    std::mt19937_64 random(9);
    for (int round = 0; round < 200; ++round) {
        std::byte key[32];
        for (std::byte& b : key) b = std::byte(random());
        block_names names;
        for (std::size_t lane = 0; lane < block_lanes; ++lane) {
            names.nonce_front[lane] = std::uint32_t(random());
            names.nonce_back[lane] = std::uint32_t(random());
            names.counter[lane] = round % 2 == 0 ? std::uint32_t(random()) : std::uint32_t(lane);
        }
        std::byte found[block_lanes * block_size];
        blocks(key, names, found);
        for (std::size_t lane = 0; lane < block_lanes; ++lane) {
            unsigned char nonce[8], expected[block_size] = {};
            std::memcpy(nonce, &names.nonce_front[lane], 4);
            std::memcpy(nonce + 4, &names.nonce_back[lane], 4);
            (void)crypto_stream_salsa20_xor_ic(expected, expected, block_size, nonce, names.counter[lane],
                                               reinterpret_cast<const unsigned char*>(key));
            ASSERT_EQ(std::memcmp(found + lane * block_size, expected, block_size), 0) << round << ' ' << lane;
        }
    }
}

TEST(salsa20_lanes_test, are_blocks_of_their_streams)
{
    if (is_available(box_implementation::avx2)) expect_blocks_of_libsodium(salsa20_by_avx2);
    if (is_available(box_implementation::avx512)) expect_blocks_of_libsodium(salsa20_by_avx512);
}

}  // namespace
}  // namespace zlink::crypto::avx2

#endif
