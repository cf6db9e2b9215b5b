// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Where large bodies lie. The kernel copies them from and to memory of its own, which begins at a page. The transport
// decides which part of a body begins there (docs/decisions/0014-placement.md). Large blocks of malloc() lie at the
// same few places of a page. So either all bodies of a flow would be copied slowly, or none (copies_slowly()).
#pragma once

#include "base/many_octets.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace zlink::message::placement {

/// Bodies of at least this many octets are sent from their own memory, and read into it.
inline constexpr std::size_t smallest = 32 * 1024;

// Where the kernel's pages begin in the octets sent. Over tcp: at their begin. Over ipc: at a place such that
// the octets end with a page. If the octets are longer than one buffer of the kernel (longest_in_one): in steps of
// `step` octets from the begin.
inline constexpr std::size_t longest_in_one = 80'000;
inline constexpr std::uintptr_t step = 320;
inline constexpr std::uintptr_t most_steps = 4;
[[nodiscard]] constexpr std::uintptr_t steps(std::size_t size) noexcept
{
    return size > longest_in_one ? most_steps : 0;
}

// Room for headers and routing ids that go before a body, and for places that are too near.
inline constexpr std::uintptr_t margin = 128;

/// Extra room in the block of a body of `size` octets: a small part of a full queue.
[[nodiscard]] constexpr std::size_t room(std::size_t size) noexcept
{
    return std::size_t(steps(size) * step + 5 * margin);
}

/// Whether a body of `size` octets should not begin here; ends_badly(): whether it should not end here.
[[nodiscard]] inline bool begins_badly(std::uintptr_t at, std::size_t size) noexcept
{
    return ((at + margin) & (page - 1)) < steps(size) * step + 2 * margin;
}
[[nodiscard]] inline bool ends_badly(std::uintptr_t at) noexcept
{
    return ((at + margin) & (page - 1)) < 2 * margin;
}

/// How far behind `at` a body of `size` octets should begin: less than room(size).
[[nodiscard]] inline std::size_t offset(const void* at, std::size_t size) noexcept
{
    const auto begin = reinterpret_cast<std::uintptr_t>(at);
    std::size_t least = 0;
    if (begins_badly(begin, size)) {
        const std::uintptr_t into = (begin + margin) & (page - 1);
        least = std::size_t(steps(size) * step + 2 * margin - into + 15) & ~std::size_t{15};
    }
    const std::size_t further = least + 2 * margin;
    const bool other = ends_badly(begin + least + size) && !begins_badly(begin + further, size);
    return other ? further : least;
}

/// Whether the kernel is likely to copy a body slowly from a program's memory, behind a header of `before` octets.
[[nodiscard]] inline bool sends_slowly(const void* body, std::size_t size, std::size_t before) noexcept
{
    const auto at = reinterpret_cast<std::uintptr_t>(body);
    const auto slow = [](std::uintptr_t to, std::uintptr_t from) {
        return copies_slowly(reinterpret_cast<const void*>(to), reinterpret_cast<const void*>(from));
    };
    for (std::uintptr_t i = 0; i <= steps(size); ++i) {
        if (slow(before + i * step, at)) return true;
    }
    return slow(0, at + size);
}

}  // namespace zlink::message::placement
