// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How much memory a socket shares with its peers, over all its connections: what it makes, and what peers make for it.
#pragma once

#include "shm/lenders.hpp"

#include <atomic>
#include <cstdint>

namespace zlink::shm {

/// What a program gets of bodies that lie in a peer's memory.
enum class incoming_bodies : std::uint8_t {
    declined,  ///< there are none
    copied,
    borrowed,  ///< where they lie, until it closes the message
};

/// Sizes in octets.
struct settings {
    std::uint64_t least = 32 * 1024;        ///< a body of so many goes into shared memory
    std::uint64_t most = 64 * 1024 * 1024;  ///< of all segments, in each direction
    /// So many octets of bodies of a size go through the stream before a segment is made for it: to make and to map one
    /// costs as much time as they would have saved (docs/decisions/0031-shared-bodies.md).
    std::uint64_t worth_a_segment = 16 * 1024 * 1024;
    incoming_bodies incoming = incoming_bodies::copied;  ///< of sockets that do not say otherwise
};

/// Any thread. The numbers are bounds and counts, which order nothing, so relaxed.
class budget {
public:
    explicit budget(const settings& s) noexcept : settings_(s) {}

    [[nodiscard]] const settings& limits() const noexcept { return settings_; }

    /// Of one direction.
    class part {
    public:
        explicit part(std::uint64_t most) noexcept : most_(most) {}

        /// False: it is not there.
        [[nodiscard]] bool take(std::uint64_t octets) noexcept
        {
            std::uint64_t used = used_.load(std::memory_order_relaxed);
            do {
                if (octets > most_ - used) return false;
            } while (!used_.compare_exchange_weak(used, used + octets, std::memory_order_relaxed));
            return true;
        }
        void give_back(std::uint64_t octets) noexcept { used_.fetch_sub(octets, std::memory_order_relaxed); }
        /// A body has gone, or come, this way.
        void count_body() noexcept { bodies_.fetch_add(1, std::memory_order_relaxed); }
        [[nodiscard]] std::uint64_t bodies() const noexcept { return bodies_.load(std::memory_order_relaxed); }
        [[nodiscard]] std::uint64_t used() const noexcept { return used_.load(std::memory_order_relaxed); }
        [[nodiscard]] std::uint64_t left() const noexcept { return most_ - used(); }

    private:
        const std::uint64_t most_;
        std::atomic<std::uint64_t> used_{0};
        std::atomic<std::uint64_t> bodies_{0};
    };

private:
    const settings settings_;

public:
    part made{settings_.most};   ///< for this side's bodies
    part taken{settings_.most};  ///< of peers
    lenders memories;            ///< that are made for this side's bodies
};

}  // namespace zlink::shm
