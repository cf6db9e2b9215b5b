// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// When a message goes out that was sent while its connection's I/O thread sleeps: at once, by a write of the sender's own; or
// together with what the sender sends next, by one write for all of it.
//
// A message is held only if the thread is expected back within microseconds: it has input unread, it says itself that more follows
// (a proxy's batch), or its last rounds ended in a wait. A round is what happens between two times that the thread finds nothing
// to receive. Holding never costs more than it saves:
// - If the thread keeps sending, everything held leaves with the first send after the oldest message has waited for longest_hold, and
//   for the time of the writes that were saved, most_saved at most. A thread that takes long for each message saves little.
// - If the thread does other things, an I/O thread takes over (pipe/absence.hpp), which is later than that. So each message that
//   was late costs saves_per_late messages that are not held; one that was held and in time earns one of them back. Those that are not
//   held are left to the I/O thread if they come in a row: it writes them together as well.
// A thread that has lost its processor meanwhile would have sent no earlier without this. That takes a system call to know: late
// messages are excused unseen if their batch was not witnessed, and for each of them batches_witnessed batches are witnessed then.
// So at most one message in a hundred is late in the long run, whatever the program does. Not counted are those of threads that
// lost their processor, and of proxies' batches, whose end does not depend on a program.
// See docs/decisions/0020-no-cliffs.md.
#pragma once

#include "load/counters.hpp"
#include "load/limits.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace zlink::load {

/// What there is to know about a message that was just published. One idea: independent observations of one moment, the
/// arguments of one decision.
struct send_facts {
    bool in_burst = false;        ///< the caller has said that more follows
    bool input_unread = false;    ///< a receive on the same socket would find something
    bool in_row = false;          ///< the thread has sent another one just before, to whomever
    bool waits_silently = false;  ///< somebody watches a ZMQ_FD, and waits without a call
    bool has_room = true;         ///< for another message to this peer
    std::uint32_t held = 0;       ///< messages held for this peer
    std::uint32_t peers = 0;      ///< for whom messages are held
};

enum class send_decision : std::uint8_t {
    write,        ///< now, with everything that is held
    hold,         ///< with what comes next
    leave,        ///< to the I/O thread, which is told, with what comes next
    release_one,  ///< what is held for this peer goes out, the rest waits on
    release_all,  ///< what is held has waited for longest_hold
};

/// One socket's. The socket's thread; times are handed in.
class send_policy {
public:
    using time_point = std::chrono::steady_clock::time_point;

    /// A message was published at `now`. `looked_after()` is asked of the first that could be held for its peer: an I/O thread looks whether the
    /// sender comes back, or it pays to have it look (hold_watch.hpp).
    template <class LookedAfter>
    [[nodiscard]] send_decision decide(const send_facts& f, time_point now, LookedAfter&& looked_after) noexcept
    {
        if (++sent_in_round_ == 1) round_began_ = now;
        const bool due = holding_ != 0 && now - oldest_ >= limits::sends::longest_hold + saved(f.peers);
        if (!f.in_burst && !f.input_unread && !waits_soon(f, now)) return send_decision::write;
        if (!f.in_burst && !may_hold()) return f.in_row ? send_decision::leave : send_decision::write;
        if (due) {
            count(rule::held_due);
            return send_decision::release_all;
        }
        if (f.held + 1 >= limits::sends::most_held || !f.has_room) return send_decision::release_one;
        // The end of a burst depends on no program: nobody has to look after it.
        if (f.held == 0 && !f.in_burst && !looked_after()) {
            count(rule::held_left);
            return send_decision::leave;
        }
        if (holding_++ == 0) {
            oldest_ = now;
            witnessed_ = false;
        }
        return send_decision::hold;
    }

    /// The first message of a batch was held: what the thread has had of the processor is to be noted now.
    [[nodiscard]] bool begins_witnessed_batch() noexcept
    {
        if (holding_ != 1 || to_witness_ == 0) return false;
        --to_witness_;
        return witnessed_ = true;
    }

    /// Everything that is held, for so many peers, goes out from `now` on. `lost_processor(allowed)` is asked if the batch was witnessed, and
    /// is late: true if the processor was taken from the thread, and it has run for less than `allowed` itself.
    template <class LostProcessor>
    void release(time_point now, std::uint32_t peers, LostProcessor&& lost_processor) noexcept
    {
        if (holding_ == 0) return;
        count(rule::held, holding_);
        const auto allowed = limits::sends::late_after + saved(peers);
        const bool late = now - oldest_ > allowed;
        if (!late) {
            balance_ = std::min<std::int64_t>(balance_ + holding_,
                                              limits::sends::most_late_in_a_row * limits::sends::saves_per_late);
        } else if (!witnessed_) {
            count(rule::held_excused, holding_, now - oldest_);
            to_witness_ =
                limits::sends::batches_witnessed * int(std::min<std::uint32_t>(holding_, limits::sends::most_excused));
        } else if (lost_processor(allowed)) {
            count(rule::held_excused, holding_, now - oldest_);
        } else {
            count(rule::held_late, holding_, now - oldest_);
            balance_ -= std::int64_t(holding_) * limits::sends::saves_per_late;
        }
        if (late) to_witness_ = std::max(to_witness_, limits::sends::batches_witnessed);
        holding_ = 0;
        witnessed_ = false;
    }
    /// Writing to so many peers has taken so long.
    void wrote(std::uint32_t peers, std::chrono::nanoseconds took) noexcept
    {
        write_time_ += (std::min(took / peers, limits::sends::longest_write_time) - write_time_) / 8;
    }
    /// `count` messages are held no more, without having gone out by release(): for one peer, or the peer has gone.
    void forget(std::uint32_t count) noexcept { holding_ -= std::min(holding_, count); }

    /// Input has run out; nothing is held any more.
    void end_round(time_point now) noexcept
    {
        if (sent_in_round_ > 1 && now - round_began_ < limits::sends::short_round) {
            if (rounds_ < limits::sends::rounds_to_learn) ++rounds_;
        } else if (rounds_ > 0) {
            --rounds_;
        }
        sent_in_round_ = 0;
    }
    [[nodiscard]] bool in_round() const noexcept { return sent_in_round_ != 0; }

private:
    [[nodiscard]] bool waits_soon(const send_facts& f, time_point now) const noexcept
    {
        return rounds_ >= limits::sends::rounds_to_learn && now - round_began_ < limits::sends::short_round &&
               !f.waits_silently;
    }
    /// By one write a peer in place of one a message.
    [[nodiscard]] std::chrono::nanoseconds saved(std::uint32_t peers) const noexcept
    {
        if (holding_ <= peers) return {};
        return std::min<std::chrono::nanoseconds>((holding_ - peers) * write_time_, limits::sends::most_saved);
    }
    [[nodiscard]] bool may_hold() noexcept
    {
        if (balance_ >= 0) [[likely]]
            return true;
        ++balance_;
        count(rule::not_held);
        return false;
    }

    std::uint32_t holding_ = 0;                                              ///< messages, for all peers
    time_point oldest_{};                                                    ///< of those
    std::chrono::nanoseconds write_time_ = limits::sends::first_write_time;  ///< on average
    std::int64_t balance_ = 0;  ///< messages in time, less saves_per_late for each late one
    int to_witness_ = 0;        ///< batches
    bool witnessed_ = false;    ///< the one that is held
    std::uint32_t sent_in_round_ = 0;
    int rounds_ = 0;  ///< in a row that had several messages and were short, up to a limit
    time_point round_began_{};
};

}  // namespace zlink::load
