// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How often messages have come from any connection of this program, for publishers: what a program publishes may be the
// answer to something that was sent after a subscription, by the same peer and another connection. A publisher that finds
// the count changed since its last message lets the I/O threads read what has come before it matches the next one.
//
// Counted after the read and before what was read is published, by whatever thread: whoever has received a message finds it
// counted (the lane's release and acquire order the two). Commands do not count: no program sees them. Subscriptions that
// this program has sent itself do, as the kernel has them by then. Only while there are publishers.
#pragma once

#include <atomic>
#include <cstdint>

namespace zlink::pipe {

namespace detail {
inline std::atomic<bool> arrivals_matter{false};
inline std::atomic<std::uint64_t> arrivals{0};
}  // namespace detail

/// There is a PUB or XPUB from now on.
inline void count_arrivals() noexcept
{
    detail::arrivals_matter.store(true, std::memory_order_relaxed);
}

inline void note_arrival() noexcept
{
    if (detail::arrivals_matter.load(std::memory_order_relaxed)) {
        detail::arrivals.fetch_add(1, std::memory_order_relaxed);
    }
}

[[nodiscard]] inline std::uint64_t arrivals() noexcept
{
    return detail::arrivals.load(std::memory_order_relaxed);
}

}  // namespace zlink::pipe
