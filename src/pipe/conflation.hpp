// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// One direction of a pipe with ZMQ_CONFLATE: of all unread messages, only the newest is kept. Two lanes with a slot
// between them; for the writer and the reader they are lanes like any other:
//
//   writer ->  written  -> pass() ->  slot  -> take() ->  read  -> reader
//
// The writer's thread empties `written` after each message. The reader of `written` counts as dormant. So a publishing
// thread wants to tell it, and calls pass() instead (pipe_end). The reader of `read` gets the content of the slot when
// it has come to the end. Spans go round in four cells, so that nothing of this needs memory. One cell is the writer's,
// one is in the slot, and two are the reader's (one it reads, and one it has left).
#pragma once

#include "base/own_number.hpp"
#include "message/frame_header.hpp"
#include "pipe/lane.hpp"
#include "pipe/lane_reader.hpp"
#include "pipe/lane_traffic.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace zlink::pipe {

class lane_writer;

class conflation {
public:
    conflation() noexcept;
    conflation(const conflation&) = delete;
    conflation& operator=(const conflation&) = delete;
    ~conflation();

private:
    struct cell {
        span s;
        std::byte header[message::long_header_size];  ///< of a frame with a body that is a reference
    };
    std::array<cell, 4> cells_;

public:
    lane written;
    lane read;

    // Writer's thread

    /// Takes the last message that `writer`, of `written`, has published. Its last frame replaces the content of the
    /// slot. (Of a multipart message the last frame counts, as in libzmq.) True: the reader sleeps; the caller tells
    /// it.
    [[nodiscard]] bool pass(lane_writer& writer) noexcept;
    /// The content of the slot is the last.
    void end() noexcept { ended_.store(true, std::memory_order_release); }

    // Reader's thread

    [[nodiscard]] bool has_message() const noexcept { return newest_.load(std::memory_order_acquire) & unread; }
    [[nodiscard]] bool has_ended() const noexcept { return ended_.load(std::memory_order_acquire); }
    /// The span that follows the spans that were read: a message, or the end. Of those that were read only the last is
    /// still in use. Null: nothing yet.
    [[nodiscard]] span* take() noexcept;

    /// Any thread: the part of what was written that was replaced, and will not be read.
    [[nodiscard]] traffic look_at_replaced() const noexcept
    {
        return {replaced_messages_.look(), replaced_octets_.look()};
    }

private:
    static constexpr std::uintptr_t unread = 1;  ///< cells are aligned: the lowest bit is free

    void keep(const incoming& f) noexcept;
    [[nodiscard]] static std::uint64_t octets_of(const cell& c) noexcept;
    [[nodiscard]] static cell* cell_of(std::uintptr_t entry) noexcept
    {
        return reinterpret_cast<cell*>(entry & ~unread);
    }

    lane_reader from_;          ///< of `written`
    cell* mine_ = &cells_[0];   ///< the writer's
    cell* given_ = &cells_[1];  ///< the reader's: the cell that take() gave last
    cell* spare_ = &cells_[2];  ///< the reader's: free at the next take()
    /// The slot: a cell, with `unread` if a message is in it. Both sides exchange it; partners: each other's exchange.
    std::atomic<std::uintptr_t> newest_{reinterpret_cast<std::uintptr_t>(&cells_[3])};
    /// Stored after the writer's last exchange; partner: take(), which looks at it before the slot.
    std::atomic<bool> ended_{false};
    own_number replaced_messages_;  ///< writer's, with the next
    own_number replaced_octets_;
};

}  // namespace zlink::pipe
