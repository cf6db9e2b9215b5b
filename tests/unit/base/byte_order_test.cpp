// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Big-endian integers: literal octets both ways, at any address.
#include "base/byte_order.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>

namespace zlink {
namespace {

template <std::size_t Size>
using octets = std::array<unsigned char, Size>;

template <class Integer>
struct codec;

template <>
struct codec<std::uint16_t> {
    static std::uint16_t load(const std::byte* from) { return load_be16(from); }
    static void store(std::byte* to, std::uint16_t v) { store_be16(to, v); }
};

template <>
struct codec<std::uint32_t> {
    static std::uint32_t load(const std::byte* from) { return load_be32(from); }
    static void store(std::byte* to, std::uint32_t v) { store_be32(to, v); }
};

template <>
struct codec<std::uint64_t> {
    static std::uint64_t load(const std::byte* from) { return load_be64(from); }
    static void store(std::byte* to, std::uint64_t v) { store_be64(to, v); }
};

// Both ways, at every alignment, with a look at what lies around.
template <class Integer>
void expect_coded(Integer value, const octets<sizeof(Integer)>& wire)
{
    constexpr std::byte untouched{0xee};
    for (std::size_t offset = 1; offset <= 8; ++offset) {
        alignas(8) std::array<std::byte, 24> memory;
        memory.fill(untouched);
        codec<Integer>::store(memory.data() + offset, value);
        EXPECT_EQ(0, std::memcmp(wire.data(), memory.data() + offset, wire.size())) << offset;
        EXPECT_EQ(untouched, memory[offset - 1]);
        EXPECT_EQ(untouched, memory[offset + sizeof value]);
        EXPECT_EQ(value, codec<Integer>::load(memory.data() + offset)) << offset;
    }
}

TEST(byte_order_test, sixteen_bits)
{
    expect_coded<std::uint16_t>(0, {0, 0});
    expect_coded<std::uint16_t>(1, {0, 1});
    expect_coded<std::uint16_t>(0x0102, {1, 2});
    expect_coded<std::uint16_t>(0xfffe, {0xff, 0xfe});
}

TEST(byte_order_test, thirty_two_bits)
{
    expect_coded<std::uint32_t>(0, {0, 0, 0, 0});
    expect_coded<std::uint32_t>(0x01020304, {1, 2, 3, 4});
    expect_coded<std::uint32_t>(0x80000000, {0x80, 0, 0, 0});
    expect_coded<std::uint32_t>(std::numeric_limits<std::uint32_t>::max(), {0xff, 0xff, 0xff, 0xff});
}

TEST(byte_order_test, sixty_four_bits)
{
    expect_coded<std::uint64_t>(0, {});
    expect_coded<std::uint64_t>(256, {0, 0, 0, 0, 0, 0, 1, 0});
    expect_coded<std::uint64_t>(0x0102030405060708, {1, 2, 3, 4, 5, 6, 7, 8});
    expect_coded<std::uint64_t>(std::uint64_t{1} << 63, {0x80, 0, 0, 0, 0, 0, 0, 0});
}

}  // namespace
}  // namespace zlink
