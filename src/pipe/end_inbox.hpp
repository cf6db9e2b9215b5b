// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What an end of a pipe is told by other threads: events, and that the other party has left.
//
// Events are bits. The first one puts the end into its owner's queue; further ones join it there. Before the end has an
// owner, they wait for one. An end that closes while it stands in a queue stays until it comes out.
#pragma once

#include "pipe/activation_queue.hpp"
#include "pipe/pipe_event.hpp"

#include <atomic>
#include <cstdint>
#include <limits>

namespace zlink::pipe {

/// The number of a party that has not left.
inline constexpr std::uint64_t not_yet = std::numeric_limits<std::uint64_t>::max();

/// Its functions are given the end that it belongs to.
class end_inbox {
public:
    end_inbox() = default;
    end_inbox(const end_inbox&) = delete;
    end_inbox& operator=(const end_inbox&) = delete;
    ~end_inbox();

    /// Any thread.
    void tell(pipe_end& self, std::uint32_t raised) noexcept;
    /// The other party has left, with this next_sequence_number(): peer_left_at() says so from now on.
    void peer_leaves(std::uint64_t number) noexcept { peer_left_at_.store(number, std::memory_order_release); }
    /// Tells the owner after that. `alone`: the owner needs to know nothing but what peer_left_at() says.
    void tell_departure(pipe_end& self, bool alone) noexcept;

    /// Owner: from now on `queue` gets the end. Earlier events come now. Once. `alone`: as in tell_departure().
    void attach(pipe_end& self, activation_queue& queue, bool alone) noexcept;
    /// Owner, for an end out of its queue: the events since the last call; clears them.
    [[nodiscard]] std::uint32_t take() noexcept;
    /// Owner, once. True: the end stands in the queue, or is about to.
    [[nodiscard]] bool close() noexcept;

    /// Owner: the number with which the other party has left, or not_yet.
    [[nodiscard]] std::uint64_t peer_left_at() const noexcept { return peer_left_at_.load(std::memory_order_acquire); }
    /// Called before peer_left_at().
    void prefetch() const noexcept { __builtin_prefetch(&peer_left_at_); }

private:
    static constexpr std::uint32_t departure = event_data | event_peer_closed;
    static constexpr std::uint32_t closed = 1u << 30;
    static constexpr std::uint32_t unattached = 1u << 31;

    void push(pipe_end& self, bool departure_alone) noexcept;

    /// Partners: take() acquires what tell() released, attach() and close() what came before either of them.
    std::atomic<std::uint32_t> events_{unattached};
    /// Stored once, with release; partner: peer_left_at().
    std::atomic<std::uint64_t> peer_left_at_{not_yet};
    activation_queue* owner_ = nullptr;
};

}  // namespace zlink::pipe
