// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A segment that this side has made for its bodies. Used under the lock of sending_arena.
#pragma once

#include "runtime/shared_memory.hpp"
#include "shm/layout.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace zlink::shm {

struct sending_segment {
    enum class state : std::uint8_t { offered, sent, ready };

    segment_layout layout;
    state is = state::offered;
    bool used = true;  ///< since the last look for unused ones
    runtime::made_memory memory;
    runtime::memory_map returns;             ///< of the peer, once ready
    std::vector<std::uint64_t> generations;  ///< of the last body in each slot; 0: there was none

    /// It has slots for bodies of this size. A slot holds bodies of more than half its size: not much of it is unused,
    /// and there are few sizes of slots.
    [[nodiscard]] bool serves(std::size_t size) const noexcept
    {
        return size <= layout.slot_size && size > layout.slot_size / 2;
    }
    /// Ready. Partner: foreign_segment::give_back(), which stores the generation once the body has been read, with
    /// release.
    [[nodiscard]] bool is_free(std::uint32_t slot) const noexcept
    {
        static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
        const auto* const all = reinterpret_cast<const std::atomic<std::uint64_t>*>(returns.data());
        return generations[slot] == 0 || all[slot].load(std::memory_order_acquire) == generations[slot];
    }
    /// The first one: if the peer keeps up, the same few slots are used again and again. None: all are in use.
    [[nodiscard]] std::optional<std::uint32_t> free_slot() const noexcept
    {
        for (std::uint32_t slot = 0; slot < layout.slots; ++slot) {
            if (is_free(slot)) return slot;
        }
        return std::nullopt;
    }
    [[nodiscard]] bool all_free() const noexcept
    {
        for (std::uint32_t slot = 0; slot < layout.slots; ++slot) {
            if (!is_free(slot)) return false;
        }
        return true;
    }
    [[nodiscard]] std::byte* at(std::uint32_t slot) const noexcept
    {
        return memory.map.data() + layout.slot_size * slot;
    }
};

/// What is known of bodies that have no segment for their size.
struct segment_wish {
    std::size_t size = 0;     ///< of the last such body
    std::uint32_t count = 0;  ///< of such bodies
    bool told = false;        ///< the I/O thread knows of it
};

}  // namespace zlink::shm
