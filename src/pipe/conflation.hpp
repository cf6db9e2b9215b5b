// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// One direction of a pipe with ZMQ_CONFLATE: of all unread messages, only the newest is kept. A relay with a slot for
// one message. Spans go round in four cells, so that nothing of this needs memory. One cell is the writer's,
// one is in the slot, and two are the reader's (one it reads, and one it has left).
#pragma once

#include "base/own_number.hpp"
#include "message/frame_header.hpp"
#include "pipe/lane.hpp"
#include "pipe/lane_reader.hpp"
#include "pipe/lane_traffic.hpp"
#include "pipe/relay.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace zlink::pipe {

class conflation final : public relay {
public:
    conflation() noexcept;
    ~conflation() override;

private:
    struct cell {
        span s;
        std::byte header[message::long_header_size];  ///< of a frame with a body that is a reference
    };
    std::array<cell, 4> cells_;

public:
    lane written;
    lane read;

    lane& written_lane() noexcept override { return written; }
    lane& read_lane() noexcept override { return read; }

    // Writer's thread

    /// Takes the last message that `writer`, of `written`, has published. Its last frame replaces the content of the
    /// slot. (Of a multipart message the last frame counts, as in libzmq.) True: the reader sleeps; the caller tells
    /// it.
    [[nodiscard]] bool pass(lane_writer& writer) noexcept override;
    /// The content of the slot is the last.
    void end() noexcept override { ended_.store(true, std::memory_order_release); }

    // Reader's thread

    [[nodiscard]] std::uint64_t waiting() const noexcept override
    {
        return newest_.load(std::memory_order_acquire) & unread;
    }
    [[nodiscard]] bool has_ended() const noexcept override { return ended_.load(std::memory_order_acquire); }
    /// The span that follows the spans that were read: a message, or the end. Of those that were read only the last is
    /// still in use. Null: nothing yet.
    [[nodiscard]] span* take() noexcept override;
    [[nodiscard]] bool keeps_newest_alone() const noexcept override { return true; }

    /// Any thread: the part of what was written that was replaced, and will not be read.
    [[nodiscard]] traffic look_at_replaced() const noexcept override { return replaced_.look(); }

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
    own_traffic replaced_;
};

}  // namespace zlink::pipe
