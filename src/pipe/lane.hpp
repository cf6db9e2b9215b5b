// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The state that writer and reader of a lane share. A lane is a single-producer single-consumer queue of messages:
// lane_writer and lane_reader are its two handles. One thread at a time uses each (another may take over with a full
// fence).
//
// Invariants (those that one side can see are checked where they could break, see base/invariant.hpp)
// - The reader never passes `published` of a span, and the writer never touches octets before it. A whole message
//   becomes visible at once, however many spans it covers (see span_chain::show() for the order of stores).
// - credited <= read <= written, and credited never goes back. Let a writer ask has_room() before each message, with
//   hwm > 0 and not lowered meanwhile. Then at most hwm messages are uncredited without those that a write under way
//   has gathered, and 2 * hwm with them.
// - reader_dormant true: the reader will not look again before a thread clears it (and tells the reader). Set by the
//   reader, followed by heavy_fence and a second look; read by the writer after publish and light_fence.
// - tail is where the next span is linked. A reader that has read everything may reclaim its chunk. With a
//   compare-and-exchange it puts the sentinel there, and frees the memory it was in (reclaim.cpp). The writer takes the
//   tail with an exchange before it touches its last span. The exception: the span has octets of the writer's that the
//   reader has not seen. A writer that finds the tail null is a second writer.
// - writer_waiting true: a thread found no credit, and may sleep until the reader clears it and tells. Another thread of
//   a shared socket that finds credit leaves it true. Both sides use full fences, as both are rare (once in hwm/2
//   messages).
#pragma once

#include "base/asymmetric_fence.hpp"
#include "pipe/octet_marks.hpp"
#include "pipe/span.hpp"

#include <atomic>
#include <cstdint>

namespace zlink::pipe {

inline constexpr std::size_t cache_line = 64;

class lane_charge;
class relay;

struct lane {
    explicit lane(relay* source = nullptr) noexcept : from(source) {}
    lane(const lane&) = delete;
    lane& operator=(const lane&) = delete;

    ~lane();  ///< frees messages that were written and never read; both handles are gone or idle

    /// Writer, after it has published: whether the reader is dormant and has to be told of news.
    [[nodiscard]] [[gnu::always_inline]] bool reader_sleeps() const noexcept
    {
        // The choice of the fence has to be made after publishing: the reader may have switched before its heavy fence.
        std::atomic_signal_fence(std::memory_order_seq_cst);
        if (fenced.load(std::memory_order_relaxed)) [[unlikely]] {
            asymmetric_fence::full_fence();
        } else {
            asymmetric_fence::light_fence();
        }
        return reader_dormant.load(std::memory_order_relaxed);
    }
    /// True: the caller has to tell the reader. At most one caller gets true for each time the reader went dormant.
    [[nodiscard]] bool take_wake() noexcept { return reader_dormant.exchange(false, std::memory_order_acq_rel); }

    span sentinel;           ///< where an empty chain starts; never holds octets
    span closing;            ///< last of a closed chain; a reader knows it by its place, and closing needs no memory
    span* head = &sentinel;  ///< reader's: oldest span not released
    /// Stored by go_dormant(), taken back by the thread that exchanges it first. Partner: span::published, or the
    /// source of the lane (conflation::newest_, drop_queue::waiting_). In between are the fences of reader_sleeps() and
    /// asymmetric_fence::sleeper_fence().
    alignas(cache_line) std::atomic<bool> reader_dormant{false};
    /// This lane's writer uses full fences, as the reader sleeps often. Stored by the reader before a heavy fence;
    /// partner: reader_sleeps(), which loads it after its publication.
    std::atomic<bool> fenced{false};
    std::atomic<bool> writer_waiting{false};  ///< partner: credited, with a full fence on both sides
    /// How often the reader gives credit; follows the high-water mark. Relaxed: either step does, and a change of the
    /// mark has the reader flush its credit (event_hwm).
    std::atomic<std::uint64_t> credit_step{1};
    /// The reader's side wants this mark; -1: nothing asked. Partner: the exchange of
    /// lane_writer::apply_requested_hwm().
    std::atomic<std::int64_t> requested_hwm{-1};
    octet_marks octets;             ///< of the mark in octets
    lane_charge* charge = nullptr;  ///< what waits here counts there; null: under no cap. Set before the lane is used.
    relay* const from;  ///< the source of this lane's spans, after the chain; null: the writer is the only source
    /// Messages that the reader is done with. Release: a thread that acquires it (lane_writer::look_for_credit()) sees
    /// all that the reader did with them. Partner of the sleep: writer_waiting.
    alignas(cache_line) std::atomic<std::uint64_t> credited{0};
    /// The value that `credited` will have if the connection's write under way takes everything. 0, or a value already
    /// credited: no write is under way, or it fell short. Stored by the reader before the system call, with release;
    /// partner: lane_writer::look_for_credit(). An answer of the peer may be here before the thread that wrote goes on.
    std::atomic<std::uint64_t> being_written{0};
    std::atomic<std::uint64_t> bytes_read{
        0};  ///< octets of large bodies that the reader is done with; a count, orders nothing
    /// Octets that the reader is done with, in front of a store to `credited`, which orders it: relaxed.
    std::atomic<std::uint64_t> octets_credited{0};
    /// The last span, or the sentinel if the reader has reclaimed all. Null while the writer holds it; marked (see
    /// reclaim.cpp) while the reader's side is about to reclaim. Partners: the other side's exchanges of the same.
    alignas(cache_line) std::atomic<span*> tail{&sentinel};
};

/// Credits are given in steps of this many messages (libzmq's rule, which programs observe).
[[nodiscard]] constexpr std::uint64_t low_water_mark(std::uint64_t hwm) noexcept
{
    return (hwm + 1) / 2;
}

/// Without a limit no writer waits for credit. The count is published now and then for threads that look at it.
[[nodiscard]] constexpr std::uint64_t credit_step(std::uint64_t hwm) noexcept
{
    return hwm == 0 ? 1024 : low_water_mark(hwm);
}

}  // namespace zlink::pipe
