// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What one side of a connection has of the memory in which it puts bodies for the other: segments, each agreed upon with
// the peer. A slot is free again when the peer has returned its body. A peer that returns what it has not read spoils
// only what it reads itself.
//
// For each size of slots there is one segment, of a few slots: a peer that keeps up needs no more, and they stay in the
// processor's cache. If the peer is behind, bodies go through the stream, whose buffer is small as well.
//
// Threads: any; sending_memory has the lock.
#pragma once

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "runtime/shared_memory.hpp"
#include "shm/body_reference.hpp"
#include "shm/budget.hpp"
#include "shm/layout.hpp"
#include "shm/sending_memory.hpp"
#include "shm/sending_segment.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <vector>

namespace zlink::shm {

class sending_arena {
public:
    sending_arena(std::shared_ptr<budget> of, sending_memory::readers who);
    sending_arena(const sending_arena&) = delete;
    sending_arena& operator=(const sending_arena&) = delete;
    ~sending_arena();

    /// Has the body in a slot that the peer may read: copies it there, unless it lies in one. `distribution`: not 0 if
    /// other connections may get the same body. None: it is too small, or there is no slot for it now.
    [[nodiscard]] std::optional<body_reference> put(const std::byte* body, std::size_t size,
                                                    std::uint64_t distribution = 0) noexcept;

    // Agreement with the peer: one segment at a time

    /// True, once: bodies of a size that has no segment go through the stream, and it could have one.
    [[nodiscard]] bool wants_segment() noexcept;
    /// Makes the segment that is wanted, or takes part in one that is there, by steps of half a millisecond: its layout
    /// is to be offered. None: another step has to follow. Errors: `again` if there is no room for it, or none is
    /// wanted; those of the system, after which there will be no other.
    [[nodiscard]] result<std::optional<segment_layout>> make_segment() noexcept;
    /// The peer has accepted the offer: the descriptor for it. Error protocol_error: nothing was offered under this
    /// number; otherwise those of the system.
    [[nodiscard]] result<unique_fd> accepted(std::uint32_t id) noexcept;
    /// The peer's page of returns has come: the segment is used from now on. Error protocol_error: it is none, or not
    /// expected; otherwise those of the system.
    [[nodiscard]] result<void> returned(std::uint32_t id, int descriptor) noexcept;
    /// The peer has declined, or the segment cannot be used: there will be no other. False: nothing was offered under
    /// this number.
    [[nodiscard]] bool refused(std::uint32_t id) noexcept;

    /// Gives up the segments of which all bodies have been returned, and into which none was put since the last call:
    /// their numbers, to tell the peer. May throw std::bad_alloc: some are given up without being told.
    void retire_unused(std::vector<std::uint32_t>& retired);
    [[nodiscard]] bool has_segments() noexcept;

private:
    struct making {
        segment_layout layout;
        runtime::memory_maker memory;
    };

    [[nodiscard]] segment_share* find(std::uint32_t id, segment_share::state is) noexcept;
    [[nodiscard]] std::optional<body_reference> place(const body_origin& body, std::byte*& to) noexcept;
    [[nodiscard]] std::optional<body_reference> tell(segment_share& share, std::optional<std::uint32_t> slot,
                                                     std::size_t size) noexcept;
    void note_missing(std::size_t size) noexcept;
    [[nodiscard]] errc begin_making(std::size_t size) noexcept;
    [[nodiscard]] errc give_up_making(const segment_layout& l, errc why) noexcept;
    [[nodiscard]] result<std::optional<segment_layout>> take_part(sending_segment& in) noexcept;
    void leave(segment_share& share) noexcept;

    const std::shared_ptr<budget> budget_;
    const std::shared_ptr<sending_memory> memory_;
    std::list<segment_share> shares_;
    std::optional<making> making_;  ///< of the thread that makes it, without the lock
    segment_wish wish_;
    bool refused_ = false;   ///< by the peer or by the system: there will be no other segment
    bool agreeing_ = false;  ///< a segment has been offered, and is not ready
};

}  // namespace zlink::shm
