// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The memory of keys: one arena of pages that are locked, left out of core dumps, and wiped in the child of a fork.
// Pages without access surround it. All of this is best effort. If the system refuses a part (the limit on locked
// memory is small), or if the arena is full, keys lie in memory without it. They are wiped all the same.
#pragma once

#include <cstddef>

namespace zlink::crypto {

/// Octets of every kind of key: public, secret, shared, symmetric.
inline constexpr std::size_t key_size = 32;

/// key_size octets, all zero. May throw std::bad_alloc. Any thread, and in the child of a fork whatever the parent did.
[[nodiscard]] std::byte* take_key_memory();

/// Wipes the octets first. In the child of a fork also for memory that was taken before the fork.
void give_key_memory_back(std::byte* octets) noexcept;

/// Whether `octets` lie in the arena.
[[nodiscard]] bool lies_in_key_arena(const std::byte* octets) noexcept;

}  // namespace zlink::crypto
