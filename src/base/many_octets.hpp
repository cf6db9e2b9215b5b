// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Copies of many octets, and good places for them.
//
// memcpy() and the kernel copy many octets by one string instruction (rep movsb). Processors do many octets at a time.
// The exception: the destination lies up to 31 octets behind the source, counted modulo a page of 4 KB. Then they
// cannot distinguish the two in time, and copy octet by octet. On an AMD EPYC that takes 29 us for 64 KB instead of
// 1.4, and three to five times as long in the kernel (docs/decisions/0014-placement.md). Large blocks of malloc() lie
// at the same place of every page. So such a flow of blocks is copied slowly every time, or never.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace zlink {

/// From this size on a copy checks its places; no C library uses the string instruction for fewer octets.
inline constexpr std::size_t many_octets = 2048;

/// Processors compare addresses modulo this.
inline constexpr std::uintptr_t page = 4096;

/// Whether a copy by one string instruction is slow.
[[nodiscard]] inline bool copies_slowly(const void* to, const void* from) noexcept
{
    constexpr std::uintptr_t too_near = 32;
    return ((reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from) - 1) & (page - 1)) <
           too_near - 1;
}

/// copy_many_octets() of at least that many.
void copy_many_octets_apart(void* to, const void* from, std::size_t size) noexcept;

/// As memcpy; `size` may be 0. Never slow because of the places.
[[gnu::always_inline]] inline void copy_many_octets(void* to, const void* from, std::size_t size) noexcept
{
    if (size >= many_octets) return copy_many_octets_apart(to, from, size);
    if (size == 0) return;
    __asm__("" : "+r"(size));  // or GCC sees the limit, and puts the string instruction in place of the call
    std::memcpy(to, from, size);
}

}  // namespace zlink
