// Copies and comparisons of a few octets without a call: most messages and routing ids are small, and a call to memcpy
// costs as much as such a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace zlink {

/// As memcpy; `size` may be 0.
[[gnu::always_inline]] inline void copy_octets(void* to, const void* from, std::size_t size) noexcept
{
    auto* const t = static_cast<std::byte*>(to);
    const auto* const f = static_cast<const std::byte*>(from);
    // Two blocks that overlap in the middle serve every size between one block and two.
    if (size > 64 || size < 4) [[unlikely]] {
        if (size != 0) std::memcpy(t, f, size);
    } else if (size >= 32) {
        std::byte block[64];
        std::memcpy(block, f, 32);
        std::memcpy(block + 32, f + size - 32, 32);
        std::memcpy(t, block, 32);
        std::memcpy(t + size - 32, block + 32, 32);
    } else if (size >= 16) {
        std::byte block[32];
        std::memcpy(block, f, 16);
        std::memcpy(block + 16, f + size - 16, 16);
        std::memcpy(t, block, 16);
        std::memcpy(t + size - 16, block + 16, 16);
    } else if (size >= 8) {
        std::byte block[16];
        std::memcpy(block, f, 8);
        std::memcpy(block + 8, f + size - 8, 8);
        std::memcpy(t, block, 8);
        std::memcpy(t + size - 8, block + 8, 8);
    } else {
        std::byte block[8];
        std::memcpy(block, f, 4);
        std::memcpy(block + 4, f + size - 4, 4);
        std::memcpy(t, block, 4);
        std::memcpy(t + size - 4, block + 4, 4);
    }
}

/// As memcmp(...) == 0; `size` may be 0.
[[nodiscard]] [[gnu::always_inline]] inline bool equal_octets(const void* a, const void* b, std::size_t size) noexcept
{
    const auto* const x = static_cast<const std::byte*>(a);
    const auto* const y = static_cast<const std::byte*>(b);
    const auto differ = [&]<class Word>(Word, std::size_t at) {
        Word one, other;
        std::memcpy(&one, x + at, sizeof(Word));
        std::memcpy(&other, y + at, sizeof(Word));
        return one ^ other;
    };
    if (size >= 8 && size <= 16) {
        return (differ(std::uint64_t{}, 0) | differ(std::uint64_t{}, size - 8)) == 0;
    }
    if (size >= 4 && size < 8) return (differ(std::uint32_t{}, 0) | differ(std::uint32_t{}, size - 4)) == 0;
    return size == 0 || std::memcmp(x, y, size) == 0;
}

}  // namespace zlink
