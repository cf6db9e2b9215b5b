// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether reading of a connection goes on while its application has large messages to take. It stops while the
// application takes them and all connections together hold more than the pool of bodies keeps (message/body_pool.hpp).
// So memory in the cache is used again, and not fresh memory. If the application takes none for 300 us, the connection
// is read up to its high-water mark.
#pragma once

#include "load/counters.hpp"
#include "load/limits.hpp"

#include <chrono>
#include <cstdint>

namespace zlink::load {

/// One for each connection. Used by the holder of its read token; the caller passes the times.
class read_throttle {
public:
    using time_point = std::chrono::steady_clock::time_point;

    /// `unread`: octets of large bodies in the inbound lane. `taken`: octets that the application has taken so far.
    /// `much_in_use()`: the process holds more than its pool keeps. `now()`: the time.
    template <class MuchInUse, class Now>
    [[nodiscard]] bool wants_pause(std::uint64_t unread, std::uint64_t taken, MuchInUse much_in_use, Now now) noexcept
    {
        const bool much = unread > limits::read_throttle::always_held && much_in_use();
        if (!much && !pauses_) [[likely]]
            return false;
        const time_point at = now();
        const bool pause = much && takes(taken, at);
        if (pause && !pauses_) pause_began_ = at;
        if (pauses_ && !pause) count(rule::read_pause, 1, at - pause_began_);
        return pauses_ = pause;
    }

private:
    [[nodiscard]] bool takes(std::uint64_t taken, time_point now) noexcept
    {
        if (taken != taken_) {
            taken_ = taken;
            since_ = now;
        }
        return now - since_ < limits::read_throttle::longest_pause;
    }

    std::uint64_t taken_ = 0;
    time_point since_{};
    time_point pause_began_{};
    bool pauses_ = false;
};

}  // namespace zlink::load
