// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A segment of shared memory: slots of one size, each for one body. Beside it lies a page of returns, which the reader
// of the bodies writes: for each slot, the generation of the last body that it is done with.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zlink::shm {

struct segment_layout {
    std::uint32_t id = 0;
    std::uint32_t slots = 0;
    std::uint64_t slot_size = 0;  ///< whole pages

    /// Bounds that hold whatever a peer says, so that no figure overflows.
    static constexpr std::uint32_t most_slots = 4096;
    static constexpr std::uint64_t largest_slot = std::uint64_t{1} << 40;
    [[nodiscard]] constexpr bool in_bounds() const noexcept
    {
        return slots != 0 && slots <= most_slots && slot_size != 0 && slot_size <= largest_slot;
    }

    /// Of a layout in bounds.
    [[nodiscard]] constexpr std::uint64_t octets() const noexcept { return slot_size * slots; }
    [[nodiscard]] constexpr std::uint64_t octets_of_returns() const noexcept { return slots * sizeof(std::uint64_t); }
};

}  // namespace zlink::shm
