// The state that writer and reader of a lane share. A lane is a single-producer single-consumer queue of messages:
// lane_writer and lane_reader are its two handles, each used by one thread at a time (it may change with a full fence).
//
// Invariants
// - The reader never passes `published` of a span, the writer never touches octets before it: whole messages become
//   visible at once, however many spans they cover (see lane_writer::publish for the order of stores).
// - written - credited <= hwm whenever a message begins (hwm > 0): at most hwm uncredited messages exist.
// - reader_dormant true: the reader will not look again before someone clears it (and tells the reader). Set by the
//   reader, followed by heavy_fence and a second look; read by the writer after publish and light_fence.
// - conflate: the chain stays empty, each message is a chunk of its own that goes through `newest` (an exchange on
//   either side); the reader links what it took behind its current span, and the end likewise once `ended` is set.
// - tail is where the next span is linked. Who has read everything may leave: with a compare-and-exchange the reader puts
//   the sentinel there, and frees what it rested in (leaving.cpp). The writer takes the tail with an exchange before it
//   touches its last span, unless there are octets of its own in it that the reader has not seen.
// - writer_waiting true: the writer found no credit and will not look again before someone clears it. Both sides use
//   full fences, as both are rare (once in hwm/2 messages).
#pragma once

#include "pipe/span.hpp"

#include <atomic>
#include <cstdint>

namespace zlink::pipe {

inline constexpr std::size_t cache_line = 64;

struct lane {
    explicit lane(bool keep_newest_only = false) noexcept : conflate(keep_newest_only) {}
    lane(const lane&) = delete;
    lane& operator=(const lane&) = delete;

    ~lane();  ///< frees what was written and never read; both handles are gone or idle

    span sentinel;           ///< where an empty chain starts; never holds octets
    span closing;            ///< last of a closed chain, so that closing needs no memory
    span* head = &sentinel;  ///< reader's: oldest span not released
    alignas(cache_line) std::atomic<bool> reader_dormant{false};  ///< partner: span::published
    std::atomic<bool> fenced{false};              ///< this lane's writer uses full fences (reader sleeps often)
    std::atomic<bool> writer_waiting{false};      ///< partner: credited
    std::atomic<std::uint64_t> credit_step{1};    ///< how often the reader gives credit; follows the high-water mark
    const bool conflate;                          ///< only the newest message counts
    std::atomic<span*> newest{nullptr};           ///< conflate: the message not read yet, replaced by newer ones
    std::atomic<bool> ended{false};               ///< conflate: nothing newer than `newest` will come
    std::atomic<std::int64_t> requested_hwm{-1};  ///< the reader's side wants this mark; -1: nothing asked
    alignas(cache_line) std::atomic<std::uint64_t> credited{
        0};                                    ///< messages the reader is done with; partner: writer_waiting
    std::atomic<std::uint64_t> bytes_read{0};  ///< octets of large bodies the reader is done with
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
