// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Where keys lie: one arena of pages that are locked, left out of core dumps, wiped in the child of a fork, and have pages
// without access around them. All of this is best effort: where the system refuses a part (the limit on locked memory is
// small), or where the arena is full, keys lie in memory without it, and are wiped all the same.
#pragma once

#include <cstddef>

namespace zlink::crypto {

/// Octets of every key there is: public, secret, shared, symmetric.
inline constexpr std::size_t key_size = 32;

/// key_size octets, all zero. May throw std::bad_alloc. Any thread, and in the child of a fork whatever the parent did.
[[nodiscard]] std::byte* take_key_memory();

/// Wipes them first. In the child of a fork, what was taken before, too.
void give_key_memory_back(std::byte* octets) noexcept;

/// Whether it is of the arena.
[[nodiscard]] bool lies_in_key_arena(const std::byte* octets) noexcept;

}  // namespace zlink::crypto
