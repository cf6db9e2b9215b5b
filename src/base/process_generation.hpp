// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Tells a process from the children it forks: a child that inherited a connection must not write into its parent's
// stream. One relaxed load; counts up in the child of every fork.
#pragma once

#include <atomic>
#include <cstdint>

namespace zlink {

namespace detail {
/// Stored in a child of fork before it has a second thread, so nothing has to be ordered.
inline std::atomic<std::uint64_t> generation{0};
}  // namespace detail

[[nodiscard]] inline std::uint64_t process_generation() noexcept
{
    return detail::generation.load(std::memory_order_relaxed);
}

/// Makes fork() count; thread-safe, idempotent. Called when the first context is created.
void watch_forks() noexcept;

}  // namespace zlink
