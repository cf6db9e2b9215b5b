// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What may wait in all pipes of a context together, in octets (ZLINK_MAX_QUEUED_BYTES).
//
// Each direction of a pipe has a charge: what its writer has told less what its reader has told, and never below
// nothing. The cap knows the sum of the charges. A message may be written while the sum is below the limit, or if
// nothing else waits in its own queue. So no two sockets can lock each other out. As a writer tells of a message when it
// looks for room for the next one, less waits than the limit and one message for each direction.
//
// If there is no room, the writer's end is put on a list. The ends on it are told once an eighth of the limit is free.
// Until then, no writer with something in its queue finds room, so none is passed by. An end whose own queue becomes
// empty is told at once.
#pragma once

#include "base/process_generation.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>

namespace zlink::pipe {

class lane_charge;
class pipe_end;

/// Any thread.
class queue_cap {
public:
    queue_cap() = default;
    queue_cap(const queue_cap&) = delete;
    queue_cap& operator=(const queue_cap&) = delete;

    /// 0: none.
    void set_limit(std::uint64_t octets) noexcept;

    // Numbers alone: relaxed.

    /// Octets that are left; without a limit, any number.
    [[nodiscard]] std::uint64_t room() const noexcept;
    [[nodiscard]] std::uint64_t limit() const noexcept { return limit_.load(std::memory_order_relaxed); }
    /// The sum of the charges.
    [[nodiscard]] std::uint64_t queued() const noexcept { return queued_.load(std::memory_order_relaxed); }
    /// How often an end was put on the list.
    [[nodiscard]] std::uint64_t waits() const noexcept { return waits_.load(std::memory_order_relaxed); }

private:
    friend class lane_charge;

    [[nodiscard]] bool has_room(bool for_waiting) const noexcept;
    [[nodiscard]] bool anyone_waits() const noexcept { return waiting_.load(std::memory_order_seq_cst) != 0; }
    void enlist(lane_charge& charge) noexcept;
    void strike(lane_charge& charge) noexcept;
    void take_off(lane_charge& charge) noexcept;
    void tell_waiting(lane_charge* emptied) noexcept;
    void tell(lane_charge& charge) noexcept;

    // A writer's end is put on the list (A), and then the writer looks at the sum and the limit (B). Somebody else
    // changes one of these (C), and then looks whether an end is on the list (D). If B misses C, D sees A: all four are
    // sequentially consistent (tests/model/wake_ups_test.cpp).
    std::atomic<std::uint64_t> limit_{0};
    std::atomic<std::uint64_t> queued_{0};
    std::atomic<std::uint64_t> waiting_{0};  ///< ends on the list
    std::atomic<std::uint64_t> waits_{0};    ///< relaxed: see waits()
    std::mutex mutex_;                       ///< of the list
    lane_charge* first_ = nullptr;
    const std::uint64_t made_in_ = process_generation();  ///< a child of fork has none of the pipes
};

/// One direction of a pipe. The cap outlives it.
class lane_charge {
public:
    /// `writer` is told of room (event_credit).
    lane_charge(queue_cap& cap, pipe_end& writer) noexcept : cap_(cap), writer_(writer) {}
    lane_charge(const lane_charge&) = delete;
    lane_charge& operator=(const lane_charge&) = delete;
    /// What is left counts no more.
    ~lane_charge();

    // Writer. `written`: the octets of all messages that it has published.

    /// Whether there is room for one more message. `waits`: if there is none, the writer's end is told once it should
    /// look again.
    [[nodiscard]] bool has_room(std::uint64_t written, bool waits) noexcept;
    /// True: nothing waits in the queue.
    bool note_written(std::uint64_t written) noexcept { return settle(written_, written); }
    [[nodiscard]] const queue_cap& cap() const noexcept { return cap_; }
    /// The writer's end is told no more.
    void close() noexcept { cap_.strike(*this); }

    // Reader

    /// It is done with so many octets in all.
    void note_read(std::uint64_t read) noexcept { (void)settle(read_, read); }

private:
    friend class queue_cap;

    bool settle(std::uint64_t& side, std::uint64_t octets) noexcept;

    queue_cap& cap_;
    pipe_end& writer_;

    std::mutex mutex_;  ///< of the next three
    std::uint64_t written_ = 0;
    std::uint64_t read_ = 0;     ///< ahead of written_ if the writer has not told of its last message yet
    std::uint64_t charged_ = 0;  ///< part of queue_cap::queued_

    // The cap's, under its lock.
    lane_charge* next_ = nullptr;
    lane_charge* previous_ = nullptr;
    bool listed_ = false;
};

}  // namespace zlink::pipe
