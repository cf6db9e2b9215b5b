// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A thread sends to a connection, and the connection's I/O thread sleeps. Either the sending thread writes itself, or
// it tells the I/O thread. An own write does not wake the I/O thread. In a flood the I/O thread's batches are better
// than a system call for each message. Pauses of the thread pay for writes that answer nothing. So the sender writes a
// short burst if that takes at most a part of its time. If long bursts are expected, to whatever peers, they are left
// from their first message. The I/O thread is told in any case, and one wake-up of it serves all messages. A thread
// that never pauses leaves the writing to the I/O threads.
#pragma once

#include "load/counters.hpp"
#include "load/expectation.hpp"
#include "load/limits.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

namespace zlink::load {

/// The facts about a write that a thread could make.
struct own_write_facts {
    bool held = false;             ///< held messages (send_policy.hpp): several, or one that was worth a write before
    bool io_thread_awake = false;  ///< telling it costs no system call
    /// within the budget of all threads that write to that I/O thread's connections (own_write_budget.hpp)
    bool affordable = true;
    std::uint64_t received = 0;  ///< messages from this peer so far
    /// Messages to this peer so far, this one included. After a message was left, this class is not asked about the
    /// next ones until the I/O thread has them.
    std::uint64_t sent = 0;
};

/// The messages that a thread sends between two pauses.
struct own_write_burst {
    std::uint64_t peers = 0;  ///< peers that have a message of the burst
    std::uint64_t more = 0;   ///< messages of the burst to a peer that already has one

    [[nodiscard]] bool is_long() const noexcept
    {
        return more > limits::own_writes::few_more || peers + more > limits::own_writes::few;
    }
};

/// One thread's writes, to any connections.
struct own_write_row {
    std::chrono::steady_clock::time_point last{};
    std::chrono::steady_clock::time_point last_to_sleeper{};
    /// time for writes that answer nothing; below zero after the last of a burst
    std::chrono::nanoseconds allowance{};
    bool has_waited = false;    ///< for input, at any socket, since the last decision about a write
    expectation bursts{false};  ///< long bursts come
    std::uint64_t round = 2;    ///< the number of the burst under way
    own_write_burst now;        ///< the burst under way
    own_write_burst before;     ///< the last; some of its messages become known only after it

    /// A message is sent to a sleeping I/O thread. True if another was sent just before, to any peer.
    [[nodiscard]] bool follows(std::chrono::steady_clock::time_point at) noexcept
    {
        return at - std::exchange(last_to_sleeper, at) <= limits::sends::in_a_row;
    }

    /// The thread waits for input from here on. Its next message answers that input, even if another connection brought
    /// it.
    void note_wait() noexcept { has_waited = true; }

    /// The thread has told an I/O thread something, which has taken `taken`.
    void told(std::chrono::nanoseconds taken) noexcept { last += taken; }

    /// Called before a message that comes `pause` after `last`.
    void note_pause(std::chrono::nanoseconds pause) noexcept
    {
        if (pause <= limits::own_writes::gap) return;
        bursts.saw(before.is_long(), limits::own_writes::to_learn);
        before = std::exchange(now, {});
        ++round;
        allowance = std::min<std::chrono::nanoseconds>(allowance + pause / limits::own_writes::part_of_pauses,
                                                       limits::own_writes::most_allowance);
    }
};

/// The calling thread's.
[[nodiscard]] inline own_write_row& row_of_this_thread() noexcept
{
    constinit static thread_local own_write_row row;
    return row;
}

/// One for each connection. Used by the holder of its write token; the caller passes the times.
class own_writes {
public:
    using time_point = std::chrono::steady_clock::time_point;

    enum class verdict : std::uint8_t {
        write,
        write_in_row,  ///< wrote_in_row() follows it
        leave,         ///< to the I/O thread
    };

    [[nodiscard]] verdict decide(const own_write_facts& f, time_point now, own_write_row& row) noexcept
    {
        note_message(f.sent, now, row);
        const bool heard = f.received != received_ || row.has_waited;
        const bool answers = heard && !f.io_thread_awake;
        const bool rare = !row.bursts && f.affordable && row.allowance > row.allowance.zero();
        received_ = f.received;
        row.has_waited = false;
        row.last = now;
        if (f.held || answers) return counted(rule::own_write, verdict::write);
        return rare ? counted(rule::own_write, verdict::write_in_row) : counted(rule::own_write_left, verdict::leave);
    }
    static void wrote_in_row(time_point now, own_write_row& row) noexcept
    {
        row.allowance -= std::min<std::chrono::nanoseconds>(now - row.last, limits::own_writes::longest_write_time);
        row.last = now;
    }

private:
    void note_message(std::uint64_t sent, time_point now, own_write_row& row) noexcept
    {
        row.note_pause(now - row.last);
        if (sent == sent_) return;  // asked again about the same one
        const std::uint64_t unseen = sent - sent_ - 1;
        if (round_ + 1 == row.round) row.before.more += unseen;
        if (round_ == row.round) {
            row.now.more += unseen + 1;
        } else {
            ++row.now.peers;
        }
        round_ = row.round;
        sent_ = sent;
    }
    [[nodiscard]] static verdict counted(rule what, verdict v) noexcept
    {
        count(what);
        return v;
    }

    std::uint64_t received_ = 0;  ///< received messages at the last decision
    std::uint64_t sent_ = 0;      ///< sent messages then
    std::uint64_t round_ = 0;     ///< the round of the thread that sent it
};

}  // namespace zlink::load
