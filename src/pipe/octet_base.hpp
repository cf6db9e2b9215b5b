// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How many octets one side of a lane has passed, without a step for each frame. The side is at an address, which it
// keeps anyway. The octets are that address and a base, which changes only when the side goes on in other memory:
//
//   side:   raises the version (A), changes base and address (B), raises the version (C)
//   looker: reads the version (D), base and address (E), the version (F); goes by E if D and F are the same even number
//
// If E sees anything of B, or any address after B, then F sees A: a release fence is behind A, and an acquire fence in
// front of F. If E misses something of B though D has seen C, C was released behind B. The address is stored without
// order for each frame; so B ends with the first of those. tests/model/octet_base_test.cpp tries all executions.
#pragma once

#include "base/asymmetric_fence.hpp"
#include "base/own_number.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace zlink::pipe {

class octet_base {
public:
    // The side's thread

    /// The side goes on at `to`, having come to `from`. `move()` stores that address.
    template <class Move>
    void jump(const std::byte* from, const std::byte* to, Move&& move) noexcept
    {
        std::atomic_ref version(version_);
        version.store(version_ + 1, std::memory_order_relaxed);
        order_stores();
        base_.add(number(from) - number(to));
        move();
        version.store(version_ + 1, std::memory_order_release);  // partner: octets_at(), which acquires it
    }

    /// Octets that lie elsewhere have been passed, or `jump()` has not told of.
    void add(std::uint64_t octets) noexcept { base_.add(octets); }
    /// Passed octets come back.
    void take_back(std::uint64_t octets) noexcept { base_.add(std::uint64_t{0} - octets); }

    /// The octets so far. The side is at `address`.
    [[nodiscard]] std::uint64_t octets(const std::byte* address) const noexcept
    {
        return base_.get() + number(address);
    }

    /// Any thread. `address()` loads where the side is. None: the side is just going elsewhere, so look again.
    template <class Address>
    [[nodiscard]] std::optional<std::uint64_t> octets_at(Address&& address) const noexcept
    {
        const std::atomic_ref version(const_cast<std::uint32_t&>(version_));
        const std::uint32_t before = version.load(std::memory_order_acquire);  // partner: the last store of jump()
        const std::uint64_t octets = base_.look() + number(address());
        asymmetric_fence::full_fence();  // partner: order_stores()
        if (before % 2 != 0 || version.load(std::memory_order_relaxed) != before) return std::nullopt;
        return octets;
    }

private:
    [[nodiscard]] static std::uint64_t number(const std::byte* address) noexcept
    {
        return reinterpret_cast<std::uintptr_t>(address);
    }
    static void order_stores() noexcept
    {
#ifdef ZLINK_TSAN
        asymmetric_fence::full_fence();
#else
        std::atomic_thread_fence(std::memory_order_release);
#endif
    }

    own_number base_;  ///< octets passed, without the address; modulo 2^64
    std::uint32_t version_ = 0;
};

}  // namespace zlink::pipe
