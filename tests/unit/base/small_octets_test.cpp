// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "base/small_octets.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace zlink {
namespace {

constexpr std::size_t largest = 200;

std::vector<std::byte> octets(std::size_t size)
{
    std::vector<std::byte> all(size);
    for (std::size_t i = 0; i < size; ++i) all[i] = std::byte(i * 7 + 1);
    return all;
}

TEST(small_octets_test, copies_every_size_and_nothing_beside_it)
{
    for (std::size_t size = 0; size <= largest; ++size) {
        const auto from = octets(size);
        std::vector<std::byte> to(size + 2, std::byte{0xee});
        copy_octets(to.data() + 1, from.data(), size);
        EXPECT_EQ(std::byte{0xee}, to.front()) << size;
        EXPECT_EQ(std::byte{0xee}, to.back()) << size;
        EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin() + 1)) << size;
    }
}

TEST(small_octets_test, finds_equal_what_is_equal_and_different_what_differs_anywhere)
{
    for (std::size_t size = 0; size <= largest; ++size) {
        const auto one = octets(size);
        auto other = one;
        EXPECT_TRUE(equal_octets(one.data(), other.data(), size)) << size;
        for (std::size_t at = 0; at < size; ++at) {
            other[at] ^= std::byte{0x80};
            EXPECT_FALSE(equal_octets(one.data(), other.data(), size)) << size << " octets, differing at " << at;
            other[at] = one[at];
        }
    }
}

}  // namespace
}  // namespace zlink
