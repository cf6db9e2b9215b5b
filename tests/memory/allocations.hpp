// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What this program's own malloc, which takes the place of the C library's in the whole process, counts and refuses.
// What the C library's own figures call "in use" also counts what its threads keep for their next allocations. Those of
// a busy machine keep more.
#pragma once

#include <cstddef>

namespace zlink::test {

/// Octets that have been given out and not been taken back, as many as their blocks can hold.
[[nodiscard]] std::size_t octets_in_use() noexcept;

/// Counts the process's allocations from now on, and refuses the one with that number (from 0 on; negative: none).
void count_allocations(long refused) noexcept;
/// Ends that. Returns how many there were.
long counted_allocations() noexcept;

/// From now on all allocations of other threads are refused, or no more are.
void refuse_other_threads(bool on) noexcept;
/// How many were.
[[nodiscard]] long refused_allocations() noexcept;

/// From now on blocks are wiped when they are given back: what is found in memory afterwards is somebody's.
void wipe_what_is_freed() noexcept;

/// Allocations by this thread, ever.
[[nodiscard]] long allocations_of_this_thread() noexcept;

}  // namespace zlink::test
