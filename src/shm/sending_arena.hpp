// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The memory in which one side of a connection puts bodies for the other: segments, each agreed upon with the peer.
// A slot is free again when the peer has returned its body. A peer that returns what it has not read spoils only what
// it reads itself.
//
// For each size of slots there is one segment, of a few slots: a peer that keeps up needs no more, and they stay in the
// processor's cache. If the peer is behind, bodies go through the stream, whose buffer is small as well.
//
// Threads: any; the lock is held for the choice of a slot, and not while a body is copied.
#pragma once

#include "base/fork_safe_mutex.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "shm/body_reference.hpp"
#include "shm/budget.hpp"
#include "shm/layout.hpp"
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
    explicit sending_arena(std::shared_ptr<budget> of) noexcept : budget_(std::move(of)) {}
    sending_arena(const sending_arena&) = delete;
    sending_arena& operator=(const sending_arena&) = delete;
    ~sending_arena();

    /// Copies the body into a free slot. None: it is too small, or there is no slot for its size now.
    [[nodiscard]] std::optional<body_reference> put(const std::byte* body, std::size_t size) noexcept;

    // Agreement with the peer: one segment at a time

    /// True, once: bodies of a size that has no segment go through the stream, and it could have one.
    [[nodiscard]] bool wants_segment() noexcept;
    /// Makes the segment that is wanted: its layout is to be offered. Errors: `again` if there is no room for it, or
    /// none is wanted; those of the system, after which there will be no other.
    [[nodiscard]] result<segment_layout> make_segment() noexcept;
    /// The peer has accepted the offer: the descriptor for it. Empty: nothing was offered under this number.
    [[nodiscard]] unique_fd accepted(std::uint32_t id) noexcept;
    /// The peer's page of returns has come: the segment is used from now on. False: it is none, or not expected.
    [[nodiscard]] bool returned(std::uint32_t id, int descriptor) noexcept;
    /// The peer has declined, or the segment cannot be used: there will be no other. False: nothing was offered under
    /// this number.
    [[nodiscard]] bool refused(std::uint32_t id) noexcept;

    /// Gives up the segments of which all bodies have been returned, and into which none was put since the last call:
    /// their numbers, to tell the peer. May throw std::bad_alloc: some are given up without being told.
    void retire_unused(std::vector<std::uint32_t>& retired);
    [[nodiscard]] bool has_segments() noexcept;

private:
    [[nodiscard]] sending_segment* find(std::uint32_t id, sending_segment::state is) noexcept;
    [[nodiscard]] std::optional<body_reference> take_slot(std::size_t size, std::byte*& at) noexcept;
    void note_missing(std::size_t size) noexcept;
    void drop(sending_segment& s) noexcept;

    const std::shared_ptr<budget> budget_;
    fork_safe_mutex mutex_;
    std::list<sending_segment> segments_;
    std::uint32_t next_id_ = 1;
    segment_wish wish_;
    bool refused_ = false;   ///< by the peer or by the system: there will be no other segment
    bool agreeing_ = false;  ///< a segment has been made, and is not ready
};

}  // namespace zlink::shm
