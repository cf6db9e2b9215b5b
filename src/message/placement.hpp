// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Where large bodies lie. The kernel copies them from and to memory of its own, which begins with a page; what of a body comes
// to lie there depends on the transport (docs/decisions/0014-placement.md). Large blocks of malloc() lie at the same few
// places of a page, and so would each body of a flow be copied slowly, or none (copies_slowly()).
#pragma once

#include "base/many_octets.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace zlink::message::placement {

/// Bodies of at least this many octets are sent from where they lie, and read into it.
inline constexpr std::size_t smallest = 32 * 1024;

// Where the kernel's pages begin in what is sent: over tcp at the begin of it; over ipc so many octets from the end of it that
// it ends with a page, or, of what is longer than one buffer of the kernel, in steps of so many octets from the begin.
inline constexpr std::size_t longest_in_one = 80'000;
inline constexpr std::uintptr_t step = 320;
inline constexpr std::uintptr_t most_steps = 4;
[[nodiscard]] constexpr std::uintptr_t steps(std::size_t size) noexcept
{
    return size > longest_in_one ? most_steps : 0;
}

// Headers and routing ids that go before a body, and what is too near.
inline constexpr std::uintptr_t margin = 128;

/// Room that the block of a body of `size` octets has besides: little of a full queue.
[[nodiscard]] constexpr std::size_t room(std::size_t size) noexcept
{
    return std::size_t(steps(size) * step + 5 * margin);
}

/// Whether a body of `size` octets had better not begin here, or end.
[[nodiscard]] inline bool begins_badly(std::uintptr_t at, std::size_t size) noexcept
{
    return ((at + margin) & (page - 1)) < steps(size) * step + 2 * margin;
}
[[nodiscard]] inline bool ends_badly(std::uintptr_t at) noexcept
{
    return ((at + margin) & (page - 1)) < 2 * margin;
}

/// How far behind `at`, less than room(size), a body of `size` octets had better begin.
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

/// Whether the kernel is likely to copy a body slowly from where a program has it, behind a header of `before` octets.
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
