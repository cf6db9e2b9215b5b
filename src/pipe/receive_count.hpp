// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How often messages have come from any connection of this program, for publishers. A published message may be the
// answer to a message that a peer sent, over another connection, after its subscription. A publisher that finds the
// count changed since its last message lets the I/O threads read the arrived messages before it matches the next one.
//
// The thread that reads counts after the read, and before it publishes the messages. So a thread that has received a
// message finds it counted (the lane's release and acquire order the two). Commands do not count: no program sees them.
// Subscriptions that this program has sent itself do count, as the kernel has them by then. Counted only while there
// are publishers.
#pragma once

#include <atomic>
#include <cstdint>

namespace zlink::pipe {

namespace detail {
inline std::atomic<bool> receives_counted{false};
inline std::atomic<std::uint64_t> receives{0};
}  // namespace detail

/// There is a PUB or XPUB from now on.
inline void enable_receive_count() noexcept
{
    detail::receives_counted.store(true, std::memory_order_relaxed);
}

inline void count_receive() noexcept
{
    if (detail::receives_counted.load(std::memory_order_relaxed)) {
        detail::receives.fetch_add(1, std::memory_order_relaxed);
    }
}

[[nodiscard]] inline std::uint64_t receive_count() noexcept
{
    return detail::receives.load(std::memory_order_relaxed);
}

}  // namespace zlink::pipe
