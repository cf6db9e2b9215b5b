// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Last-in first-out store of freed large blocks: the memory of a body that was just read is the next to be written. It
// is still in the cache, and costs neither mmap nor page faults. Bounded; thread-safe; never blocks for long.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zlink::message::body_pool {

/// Smaller blocks go straight to malloc: at these sizes its locks cost no more than the pool's. (With pooling from 1 KB
/// on, the rate of a flood of 2 to 4 KB fell to 0.7.) Blocks of small bodies are not asked for here: thread_cache.hpp.
inline constexpr std::size_t smallest_block = 16 * 1024;

/// Bodies that a publisher's subscribers share are pooled from this size on. One lock serves all references of a body,
/// and the next body is written to the memory that was read last. (malloc's blocks come from another thread, and have
/// left the cache.)
inline constexpr std::size_t smallest_shared_block = 1024;

/// Block sizes have so many steps in each power of two, and sizes are rounded up to one of them. So one block fits
/// bodies of somewhat different sizes, and at most one part in 32 is not used. (With 16 steps a full queue of bodies of
/// 33,000 octets took more than 1.05 of libzmq's memory.)
inline constexpr std::size_t steps = 32;

/// Larger blocks go straight to malloc.
inline constexpr std::size_t largest_block = 2 * 1024 * 1024;

/// Most bytes kept.
inline constexpr std::size_t most_kept = 16 * 1024 * 1024;

/// Bytes of blocks between smallest_block and largest_block that are out, pooled or not.
[[nodiscard]] std::size_t in_use() noexcept;

/// Whether the bytes of blocks that are out or kept are worth a trim() once they are not used any more.
[[nodiscard]] bool is_used() noexcept;

/// Gives the blocks kept back to the system if none was taken since the caller's last call, which `seen` remembers (0
/// at first). False: some may still be kept. (Memory that malloc keeps between blocks in use is left to the host
/// program: malloc_trim() stops all of its threads for a while.)
[[nodiscard]] bool trim(std::uint64_t& seen) noexcept;

/// Null when memory is short. `size` may be of any value.
[[nodiscard]] void* take(std::size_t size) noexcept;

/// `size` as it was given to take().
void give(void* block, std::size_t size) noexcept;

/// As take(), for a body that several sockets will refer to: from smallest_shared_block on it is pooled. in_use()
/// counts it as take() does.
[[nodiscard]] void* take_shared(std::size_t size) noexcept;

/// `size` as it was given to take_shared().
void give_shared(void* block, std::size_t size) noexcept;

}  // namespace zlink::message::body_pool
