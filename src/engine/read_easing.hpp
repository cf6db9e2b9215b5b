// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether a connection is read on while its application has large messages to take: not while it takes them and what all
// connections hold is more than the pool of bodies keeps (message/body_pool.hpp), so that memory which is in the cache is
// used again instead of fresh one. Who takes none, as long as a moment, is read for up to his high-water mark.
//
// Threads: whoever holds the pipe's read token.
#pragma once

#include "message/body_pool.hpp"
#include "runtime/clock.hpp"

#include <chrono>
#include <cstdint>

namespace zlink::engine {

class read_easing {
public:
    /// Octets of large bodies that one connection may hold whatever the others do.
    static constexpr std::uint64_t always_held = 1024 * 1024;
    /// An application that took no body for so long is away.
    static constexpr std::chrono::milliseconds longest_rest{1};
    /// When to look again.
    static constexpr std::chrono::microseconds look_after{100};

    using clock = runtime::clock;

    /// `unread`: octets of large bodies in the inbound lane. `taken`: those that the application has taken so far. `now()`:
    /// the time.
    template <class Now>
    [[nodiscard]] bool wants_rest(std::uint64_t unread, std::uint64_t taken, Now now) noexcept
    {
        if (unread <= always_held) [[likely]]
            return false;
        return message::body_pool::in_use() > message::body_pool::most_kept && takes(taken, now());
    }

private:
    bool takes(std::uint64_t taken, clock::time_point now) noexcept
    {
        if (taken != taken_) {
            taken_ = taken;
            since_ = now;
        }
        return now - since_ < longest_rest;
    }

    std::uint64_t taken_ = 0;
    clock::time_point since_{};
};

}  // namespace zlink::engine
