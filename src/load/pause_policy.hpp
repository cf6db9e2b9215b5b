// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether the sender of a large message pauses while its peer drains. Otherwise memory would fill up to the high-water
// mark with bodies that have left the cache when they are sent.
//
// - A pause is for a peer that the message went to, and that has more to read than limits::pauses::above. If messages
//   from the peer were received since the last one, the peer waits for this one, and limits by itself the messages
//   under way. So a conversation has no pauses.
// - A pause is for peers that drain fast while it lasts. The others are left alone, for longer each time. So a slow
//   subscriber costs its publisher some milliseconds a second. A thread that owns both ends costs itself as much.
// See docs/decisions/0020-no-cliffs.md.
#pragma once

#include "load/counters.hpp"
#include "load/limits.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

namespace zlink::load {

/// The facts about a peer: octets of large bodies, and messages received from it.
struct flow {
    const void* peer = nullptr;  ///< only for comparison
    std::uint64_t written = 0;
    std::uint64_t read = 0;
    std::uint64_t received = 0;
    std::uint64_t messages = 0;  ///< messages written, whatever their size

    [[nodiscard]] std::uint64_t unread() const noexcept { return written - read; }
};

/// One for each socket. Used by the socket's thread; the caller passes the times.
class pause_policy {
public:
    using time_point = std::chrono::steady_clock::time_point;
    using duration = std::chrono::steady_clock::duration;

    using flows =
        std::span<const flow>;  ///< limits::pauses::most_peers at most; each peer has its place while it is there

    /// A large message was sent.
    void sent(flows peers) noexcept
    {
        for (std::size_t i = 0; i < peers.size(); ++i) {
            record& r = record_of(i, peers[i]);
            const bool went_here = peers[i].written != r.written;
            r.counts = went_here && peers[i].received == r.received;
            if (went_here) {
                const bool alone = peers[i].messages - r.messages <= 1;
                r.in_row = alone ? std::min(r.in_row + 1, limits::pauses::many_in_row) : 0;
                r.messages = peers[i].messages;
            }
            r.written = peers[i].written;
            r.received = peers[i].received;
        }
    }

    /// Whether the last message went to this peer, and belongs to no conversation.
    [[nodiscard]] bool counts(std::size_t i) const noexcept { return records_[i].counts; }

    /// This peer gets only large messages, or their parts.
    [[nodiscard]] bool all_large(std::size_t i) const noexcept
    {
        return records_[i].in_row >= limits::pauses::many_in_row;
    }

    /// Whether the last message has left such a peer with much to read. If not, there is never a peer to wait for.
    [[nodiscard]] bool is_ahead(flows peers) const noexcept { return wants_pause(peers, time_point::max()); }
    /// Whether there is a peer to wait for.
    [[nodiscard]] bool wants_pause(flows peers, time_point now) const noexcept
    {
        for (std::size_t i = 0; i < peers.size(); ++i) {
            const record& r = records_[i];
            const bool has_much = r.counts && r.peer == peers[i].peer && peers[i].unread() > limits::pauses::above;
            if (has_much && now >= r.left_alone_until) return true;
        }
        return false;
    }

    /// A pause took `took`, and ended at `now`. `before` and `after` name the same peers.
    void paused(flows before, flows after, duration took, time_point now) noexcept
    {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < after.size(); ++i) {
            const std::uint64_t read = after[i].read - before[i].read;
            record_of(i, after[i]).taken += read;
            sum += read;
        }
        count(rule::pause, 1, took);
        time_ += took;
        read_ += sum;
        idle_ = sum == 0 ? idle_ + took : duration{};
        if (time_ >= limits::pauses::judged_after || idle_ >= limits::pauses::longest_idle) judge(after, now);
    }

private:
    // Knowledge about a peer, from waiting for it.
    struct record {
        const void* peer = nullptr;               // it may be gone
        bool counts = false;                      // see counts()
        std::uint64_t messages = 0;               // when a large one was sent to it last
        unsigned in_row = 0;                      // large ones without a small one between them, up to many_in_row
        std::uint64_t written = 0;                // when a message was sent last
        std::uint64_t received = 0;               // then
        std::uint64_t taken = 0;                  // octets, in pauses; halved now and then
        std::chrono::milliseconds suspension{0};  // 0: pauses help
        time_point left_alone_until{};
    };

    // Knowledge about a peer that has gone, or has another place now, does not count for the peer in its place.
    record& record_of(std::size_t i, const flow& f) noexcept
    {
        record& r = records_[i];
        if (r.peer != f.peer) {
            r = {};
            r.peer = f.peer;
            r.received = f.received;
        }
        return r;
    }

    void judge(flows peers, time_point now) noexcept
    {
        const auto us = std::uint64_t(std::chrono::duration_cast<std::chrono::microseconds>(time_).count());
        const bool all_slow = read_ * 1'000'000 < limits::pauses::fast * us;
        std::uint64_t most = 0;
        for (std::size_t i = 0; i < peers.size(); ++i) most = std::max(most, records_[i].taken);
        bool vain = false;
        for (std::size_t i = 0; i < peers.size(); ++i) {
            record& r = records_[i];
            const bool slow = all_slow || (most >= limits::pauses::compared_from &&
                                           r.taken < most / limits::pauses::share_of_fastest);
            const bool drains = !slow || peers[i].unread() <= limits::pauses::above;
            if (r.counts && drains) r.suspension = {};
            if (r.counts && !drains && now >= r.left_alone_until) {
                r.suspension =
                    std::clamp(2 * r.suspension, limits::pauses::first_suspension, limits::pauses::longest_suspension);
                r.left_alone_until = now + r.suspension;
                vain = true;
            }
            if (most >= 4 * limits::pauses::compared_from) r.taken /= 2;
        }
        if (vain) count(rule::pause_in_vain);
        time_ = {};
        idle_ = {};
        read_ = 0;
    }

    std::array<record, limits::pauses::most_peers> records_{};
    duration time_{};         // of the pauses since peers were judged last
    duration idle_{};         // of the last pauses in a row in which nothing was read
    std::uint64_t read_ = 0;  // octets, in those pauses
};

}  // namespace zlink::load
