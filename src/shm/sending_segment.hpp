// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A segment that this side has made for its bodies, and what each connection has of it. Used under the lock of
// sending_memory.
#pragma once

#include "runtime/shared_memory.hpp"
#include "shm/layout.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace zlink::shm {

struct sending_segment;

/// What one connection has of a segment.
struct segment_share {
    enum class state : std::uint8_t { offered, sent, ready };

    sending_segment* of;
    std::vector<std::uint64_t> told;  ///< generation of the last body in each slot that the peer knows of; 0: of none
    state is = state::offered;
    bool used = true;             ///< since the last look for unused ones
    runtime::memory_map returns;  ///< of the peer, once ready

    [[nodiscard]] bool ready() const noexcept { return is == state::ready; }
    /// The peer has not returned the last body in it. Partner: foreign_segment::give_back(), which stores the
    /// generation once the body has been read, with release.
    [[nodiscard]] bool holds(std::uint32_t slot) const noexcept
    {
        static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
        if (told[slot] == 0) return false;
        const auto* const all = reinterpret_cast<const std::atomic<std::uint64_t>*>(returns.data());
        return all[slot].load(std::memory_order_acquire) != told[slot];
    }
    /// It holds so many slots, or more.
    [[nodiscard]] bool holds_at_least(std::uint32_t n) const noexcept
    {
        for (std::uint32_t slot = 0; n != 0 && slot < told.size(); ++slot) n -= holds(slot) ? 1 : 0;
        return n == 0;
    }
};

/// A body that several connections may get. Bodies with the same origin are alike: parts of one buffer may be bodies.
struct body_origin {
    std::uint64_t distribution = 0;  ///< message::buffer::distribution(); 0: there is no other like it
    const std::byte* at = nullptr;
    std::size_t size = 0;

    friend bool operator==(const body_origin&, const body_origin&) = default;
};

struct sending_slot {
    std::uint64_t generation = 0;  ///< of the last body in it; 0: there was none
    body_origin origin{};          ///< of that body
    bool lent = false;             ///< to the program, or to a thread, which fills it
};

struct sending_segment {
    segment_layout layout;
    runtime::made_memory memory;
    std::vector<sending_slot> slots;
    std::vector<segment_share*> shares{};  ///< of connections
    bool one_page = false;                 ///< slots are as small as they can be
    bool retired = false;                  ///< gets no more bodies: a peer has gone that had not returned all

    /// It has slots for bodies of this size. A slot holds bodies of more than half its size: not much of it is unused,
    /// and there are few sizes of slots.
    [[nodiscard]] bool serves(std::size_t size) const noexcept
    {
        return !retired && size <= layout.slot_size && (size > layout.slot_size / 2 || one_page);
    }
    [[nodiscard]] bool is_free(std::uint32_t at) const noexcept
    {
        return !slots[at].lent && std::ranges::none_of(shares, [&](const segment_share* s) { return s->holds(at); });
    }
    /// The first one: if the peers keep up, the same few slots are used again and again. None: all are in use.
    [[nodiscard]] std::optional<std::uint32_t> free_slot() const noexcept
    {
        for (std::uint32_t at = 0; at < layout.slots; ++at) {
            if (is_free(at)) return at;
        }
        return std::nullopt;
    }
    /// The one that the program has filled with a body that begins there.
    [[nodiscard]] std::optional<std::uint32_t> slot_at(const std::byte* body) const noexcept
    {
        const auto offset = std::uint64_t(body - memory.map.data());
        const auto at = std::uint32_t(offset / layout.slot_size);
        if (offset % layout.slot_size != 0 || !slots[at].lent) return std::nullopt;
        return at;
    }
    /// The one that such a body was put into.
    [[nodiscard]] std::optional<std::uint32_t> slot_with(const body_origin& body) const noexcept
    {
        if (body.distribution == 0) return std::nullopt;
        const auto found = std::ranges::find(slots, body, &sending_slot::origin);
        if (found == slots.end()) return std::nullopt;
        return std::uint32_t(found - slots.begin());
    }
    [[nodiscard]] bool lends() const noexcept { return std::ranges::any_of(slots, &sending_slot::lent); }
    [[nodiscard]] std::byte* address_of(std::uint32_t slot) const noexcept
    {
        return memory.map.data() + layout.slot_size * slot;
    }
};

/// What is known of bodies that have no segment for their size.
struct segment_wish {
    std::size_t size = 0;      ///< of the last such body
    std::uint64_t octets = 0;  ///< of such bodies
    bool told = false;         ///< the I/O thread knows of it
};

}  // namespace zlink::shm
