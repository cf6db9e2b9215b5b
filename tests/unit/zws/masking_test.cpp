// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "zws/mask_source.hpp"
#include "zws/masking.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace zlink::zws::test {
namespace {

std::vector<std::byte> some(std::size_t n)
{
    std::vector<std::byte> octets(n);
    for (std::size_t i = 0; i < n; ++i) octets[i] = std::byte(i * 37 + 11);
    return octets;
}

std::vector<std::byte> masked_plainly(const std::vector<std::byte>& from, mask m)
{
    const auto* const key = reinterpret_cast<const std::byte*>(&m);
    std::vector<std::byte> out = from;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] ^= key[i % 4];
    return out;
}

constexpr mask odd_mask = 0xa1b2c3d4;

TEST(masking_test, is_the_plain_loop_for_every_length)
{
    for (std::size_t n = 0; n < 300; ++n) {
        const auto from = some(n);
        std::vector<std::byte> to(n + 2, std::byte{0x55});
        copy_masked(to.data() + 1, from.data(), n, odd_mask);
        const auto expected = masked_plainly(from, odd_mask);
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), to.begin() + 1)) << n;
        EXPECT_EQ(std::byte{0x55}, to.front()) << n;
        EXPECT_EQ(std::byte{0x55}, to.back()) << n << ": nothing behind the end is written";
    }
}

TEST(masking_test, octets_may_move_ahead_by_any_distance)
{
    for (const std::size_t n : {1, 3, 4, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 81, 127, 130, 1000}) {
        for (std::size_t distance = 0; distance < 70; ++distance) {
            const auto from = some(n);
            std::vector<std::byte> memory(distance);
            memory.insert(memory.end(), from.begin(), from.end());
            copy_masked(memory.data(), memory.data() + distance, n, odd_mask);
            memory.resize(n);
            EXPECT_EQ(masked_plainly(from, odd_mask), memory) << n << " by " << distance;
        }
    }
}

TEST(masking_test, goes_on_in_the_middle_of_a_payload)
{
    const auto from = some(100);
    for (std::size_t cut = 0; cut <= from.size(); ++cut) {
        std::vector<std::byte> to(from.size());
        copy_masked(to.data(), from.data(), cut, odd_mask);
        copy_masked(to.data() + cut, from.data() + cut, from.size() - cut, mask_behind(odd_mask, cut));
        EXPECT_EQ(masked_plainly(from, odd_mask), to) << cut;
    }
}

TEST(mask_source_test, is_chacha20)
{
    // RFC 8439, appendix A.1, test vectors 1 and 2: a key of zeros, blocks 0 and 1.
    chacha_blocks out;
    fill_chacha_blocks({}, out);
    EXPECT_EQ(0xade0b876U, out[0]);
    EXPECT_EQ(0x903df1a0U, out[1]);
    EXPECT_EQ(0x8665eeb2U, out[15]);
    EXPECT_EQ(0xbee7079fU, out[16]);
    EXPECT_EQ(0x7a385155U, out[17]);
}

TEST(mask_source_test, never_gives_a_block_again)
{
    mask_source& source = mask_source::of_this_thread();
    std::set<mask> seen;
    constexpr int many = 10'000;
    for (int i = 0; i < many; ++i) seen.insert(source.next());
    // Of so many random ones about a hundredth of one is there twice.
    EXPECT_GT(seen.size(), std::size_t{many - 5});
}

}  // namespace
}  // namespace zlink::zws::test
