// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The state that writer and reader of a lane share. A lane is a single-producer single-consumer queue of messages:
// lane_writer and lane_reader are its two handles, each used by one thread at a time (it may change with a full fence).
//
// Invariants (those that one side can see are checked where they could break, see base/invariant.hpp)
// - The reader never passes `published` of a span, the writer never touches octets before it: whole messages become
//   visible at once, however many spans they cover (see lane_writer::publish_chain for the order of stores).
// - credited <= read <= written, and credited never goes back. A writer that asks has_room() before each message leaves at
//   most hwm of them uncredited (hwm > 0, and not lowered meanwhile) without those that a write under way has gathered, and
//   2 * hwm with them.
// - reader_dormant true: the reader will not look again before someone clears it (and tells the reader). Set by the
//   reader, followed by heavy_fence and a second look; read by the writer after publish and light_fence.
// - tail is where the next span is linked. Who has read everything may leave: with a compare-and-exchange the reader puts
//   the sentinel there, and frees what it was in (leaving.cpp). The writer takes the tail with an exchange before it
//   touches its last span, unless there are octets of its own in it that the reader has not seen: who finds it null is a
//   second writer.
// - writer_waiting true: the writer found no credit and will not look again before someone clears it. Both sides use
//   full fences, as both are rare (once in hwm/2 messages).
#pragma once

#include "base/asymmetric_fence.hpp"
#include "pipe/span.hpp"

#include <atomic>
#include <cstdint>

namespace zlink::pipe {

inline constexpr std::size_t cache_line = 64;

class conflation;

struct lane {
    explicit lane(conflation* source = nullptr) noexcept : from(source) {}
    lane(const lane&) = delete;
    lane& operator=(const lane&) = delete;

    ~lane();  ///< frees what was written and never read; both handles are gone or idle

    /// Writer, after it has published: whether the reader is dormant and has to be told of what is new.
    [[nodiscard]] bool reader_sleeps() const noexcept
    {
        // Which fence it is has to be asked after publishing: the reader may have switched before its heavy fence.
        std::atomic_signal_fence(std::memory_order_seq_cst);
        if (fenced.load(std::memory_order_relaxed)) [[unlikely]] {
            asymmetric_fence::full_fence();
        } else {
            asymmetric_fence::light_fence();
        }
        return reader_dormant.load(std::memory_order_relaxed);
    }
    /// Takes it on the caller to tell the reader. At most one caller gets true for each time it went dormant.
    [[nodiscard]] bool take_wake() noexcept { return reader_dormant.exchange(false, std::memory_order_acq_rel); }

    span sentinel;           ///< where an empty chain starts; never holds octets
    span closing;            ///< last of a closed chain, so that closing needs no memory
    span* head = &sentinel;  ///< reader's: oldest span not released
    /// Stored by go_dormant(), taken back by whoever exchanges it first; partner: span::published, or what the lane is fed
    /// from (conflation::newest_), with the fences of reader_sleeps() and asymmetric_fence::sleeper_fence() in between.
    alignas(cache_line) std::atomic<bool> reader_dormant{false};
    /// This lane's writer uses full fences, as the reader sleeps often. Stored by the reader ahead of a heavy fence; partner:
    /// reader_sleeps(), which loads it behind its publication.
    std::atomic<bool> fenced{false};
    std::atomic<bool> writer_waiting{false};  ///< partner: credited, with a full fence on both sides
    /// How often the reader gives credit; follows the high-water mark. Relaxed: either step does, and a change of the mark has
    /// the reader flush its credit (event_hwm).
    std::atomic<std::uint64_t> credit_step{1};
    /// The reader's side wants this mark; -1: nothing asked. Partner: the exchange of lane_writer::apply_requested_hwm().
    std::atomic<std::int64_t> requested_hwm{-1};
    conflation* const from;  ///< the source of what is read here, behind the chain; null: the writer alone
    /// Messages the reader is done with. Release: what the reader did with them is over for who acquires it
    /// (lane_writer::look_for_credit()). Partner of the sleep: writer_waiting.
    alignas(cache_line) std::atomic<std::uint64_t> credited{0};
    /// As `credited` will be if the write of a connection that is under way takes everything; 0, or what has been credited: there is
    /// none, or it fell short. Stored by the reader ahead of the system call, with release; partner:
    /// lane_writer::look_for_credit(). An answer of the peer may be here before the thread that wrote goes on.
    std::atomic<std::uint64_t> being_written{0};
    std::atomic<std::uint64_t> bytes_read{
        0};  ///< octets of large bodies the reader is done with; a count, orders nothing
    /// The last span; the sentinel also when the reader has left; null while the writer is at it; marked (see leaving.cpp)
    /// while the reader's side is about to leave. Partners: the other side's exchanges of the same.
    alignas(cache_line) std::atomic<span*> tail{&sentinel};
};

/// Credits are given in steps of this many messages (libzmq's rule, which programs observe).
[[nodiscard]] constexpr std::uint64_t low_water_mark(std::uint64_t hwm) noexcept
{
    return (hwm + 1) / 2;
}

/// Without a limit nobody waits for credit; the count is published now and then for those who look.
[[nodiscard]] constexpr std::uint64_t credit_step(std::uint64_t hwm) noexcept
{
    return hwm == 0 ? 1024 : low_water_mark(hwm);
}

}  // namespace zlink::pipe
