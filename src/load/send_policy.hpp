// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// When a message goes out that was sent while its connection's I/O thread sleeps. Either at once, by an own write of
// the sender, or together with the sender's next messages, by one write for all.
//
// A message is held only if the thread is expected back within microseconds. That is so if it has unread input, if it
// announces more (a proxy's batch), or if its last rounds ended in a wait. A round is the time from one moment in which
// the thread finds nothing to receive to the next. Holding never costs more than it saves:
// - If the thread keeps sending, all held messages leave with the first send after the oldest has waited long enough.
//   That is longest_hold plus the time of the writes that were saved, at most most_saved. A thread that takes long for
//   each message saves little.
// - If the thread does other things, an I/O thread takes over (pipe/activity_watch.hpp), which is later than that. So
//   for each late message saves_per_late messages are not held. A message that was held and in time earns one of them
//   back. Messages that are not held are left to the I/O thread if they come in a row: it writes them together as well.
// A thread that has lost its processor meanwhile would not have sent earlier without this rule. A system call is needed
// to know that. So late messages are excused unseen if their batch was not witnessed, and then batches_witnessed
// batches are witnessed for each of them. So at most one message in a hundred is late in the long run, whatever the
// program does. This does not count messages of threads that lost their processor. Nor does it count proxies' batches:
// their end does not depend on a program. See docs/decisions/0020-no-cliffs.md.
#pragma once

#include "load/counters.hpp"
#include "load/limits.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace zlink::load {

/// The facts about a message that was just published. One idea: independent observations of one moment, the arguments
/// of one decision.
struct send_facts {
    bool in_burst = false;        ///< the caller has announced more messages
    bool input_unread = false;    ///< a receive on the same socket would find something
    bool in_row = false;          ///< the thread has sent another one just before, to any peer
    bool waits_silently = false;  ///< the program watches a ZMQ_FD, and waits without a call
    bool has_room = true;         ///< for another message to this peer
    std::uint32_t held = 0;       ///< messages held for this peer
    std::uint32_t peers = 0;      ///< peers with held messages
};

enum class send_decision : std::uint8_t {
    write,        ///< now, with all held messages
    hold,         ///< until the next messages come
    leave,        ///< to the I/O thread, which is told, together with the next messages
    release_one,  ///< messages held for this peer go out, the others wait on
    release_all,  ///< all held messages go out: they have waited for longest_hold
};

/// One socket's. The socket's thread; times are handed in.
class send_policy {
public:
    using time_point = std::chrono::steady_clock::time_point;

    /// A message was published at `now`. `is_watched()` is called for the first message that could be held for its
    /// peer. True: an I/O thread looks whether the sender comes back, or it pays to make it look (hold_watch.hpp).
    template <class IsWatched>
    [[nodiscard]] send_decision decide(const send_facts& f, time_point now, IsWatched&& is_watched) noexcept
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
        // The end of a burst does not depend on a program: no thread has to watch it.
        if (f.held == 0 && !f.in_burst && !is_watched()) {
            count(rule::held_left);
            return send_decision::leave;
        }
        if (holding_++ == 0) {
            oldest_ = now;
            witnessed_ = false;
        }
        return send_decision::hold;
    }

    /// The first message of a batch was held. True: the caller notes now how much processor time the thread has had.
    [[nodiscard]] bool begins_witnessed_batch() noexcept
    {
        if (holding_ != 1 || to_witness_ == 0) return false;
        --to_witness_;
        return witnessed_ = true;
    }

    struct released {
        std::uint32_t messages = 0;
        bool late = false;
    };
    /// All held messages, for `peers` peers, go out from `now` on. `lost_processor(allowed)` is called if the batch was
    /// witnessed and is late. True: the processor was taken from the thread, and the thread has run for less than
    /// `allowed` itself.
    template <class LostProcessor>
    released release(time_point now, std::uint32_t peers, LostProcessor&& lost_processor) noexcept
    {
        if (holding_ == 0) return {};
        count(rule::held, holding_);
        const auto allowed = limits::sends::late_after + saved(peers);
        const released what{holding_, now - oldest_ > allowed};
        if (!what.late) {
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
        if (what.late) to_witness_ = std::max(to_witness_, limits::sends::batches_witnessed);
        holding_ = 0;
        witnessed_ = false;
        return what;
    }
    /// Writing to `peers` peers has taken `took`.
    void wrote(std::uint32_t peers, std::chrono::nanoseconds took) noexcept
    {
        write_time_ += (std::min(took / peers, limits::sends::longest_write_time) - write_time_) / 8;
    }
    /// `count` messages are not held any more, and have not gone out by release(): they went out for one peer, or the
    /// peer has gone.
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
    /// The time saved by one write for each peer instead of one for each message.
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
    bool witnessed_ = false;    ///< the batch that is held
    std::uint32_t sent_in_round_ = 0;
    int rounds_ = 0;  ///< short rounds with several messages, in a row, up to a limit
    time_point round_began_{};
};

}  // namespace zlink::load
