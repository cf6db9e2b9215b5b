// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/inline_reader.hpp"

#include "base/asymmetric_fence.hpp"
#include "runtime/readiness.hpp"

#include <algorithm>
#include <utility>

namespace zlink::socket {

using outcome = pipe::inline_io::read_outcome;

bool inline_reader::can_begin() const noexcept
{
    if (!enabled_ || mailbox_.has_descriptor() || active() || pipes_.empty() || pipes_.size() > most) return false;
    return std::all_of(pipes_.begin(), pipes_.end(), [](pipe::pipe_end* end) {
        // If the program has not received a message that is there, the pattern does not want that message now. The
        // pattern itself has to say what to sleep for.
        return end->parent().io.read_token.available() && !end->reader.has_news() && !end->parent().io.is_muted();
    });
}

bool inline_reader::begin(unsigned beside) noexcept
{
    if (!can_begin() || !lease_.pays(unsigned(pipes_.size()) + beside, now_)) return false;
    for (pipe::pipe_end* end : pipes_) {
        pipe::pipe& p = end->parent();
        const auto how = p.io.read_token.take();
        if (how == pipe::io_token::taken::no) {
            for (connection& c : taken_) leave(*c.end);
            taken_.clear();
            return false;
        }
        if (how == pipe::io_token::taken::fresh) p.io.connection().pause_reading();
        // The connection's descriptor would not show that.
        taken_.push_back({end, p.io.connection().waits_for_io() ? outcome::hand_over : outcome::nothing});
    }
    parks_ = false;
    found_ = 0;
    return true;
}

void inline_reader::list(pollfd* fds) const noexcept
{
    for (const connection& c : taken_) *fds++ = {c.end->parent().io.connection().descriptor(), POLLIN, 0};
}

bool inline_reader::read(const pollfd* fds) noexcept
{
    bool found = mailbox_.pending();
    for (connection& c : taken_) {
        const bool ready = !fds || (fds++)->revents;
        // Messages that the I/O thread published before it lent the token count as well.
        if (c.end->reader.has_news() || c.last == outcome::hand_over) {
            found = true;
            continue;
        }
        if (!ready) continue;
        c.last = c.end->parent().io.connection().read_inline();
        if (c.last == outcome::nothing) continue;
        // Messages may have come before the event that the I/O thread has to handle.
        ++found_;
        found = true;
    }
    return found;
}

bool inline_reader::has_news() const noexcept
{
    for (const connection& c : taken_) {
        if (c.end->reader.has_news() || c.last == outcome::hand_over) return true;
    }
    return false;
}

// The last read took all it could.
bool inline_reader::has_more() const noexcept
{
    return taken_.size() == 1 && taken_.front().end->parent().io.connection().has_more();
}

// An I/O thread waits for one of the tokens.
bool inline_reader::wanted() const noexcept
{
    for (const connection& c : taken_) {
        if (c.end->parent().io.read_token.wanted()) return true;
    }
    return false;
}

waiter::reason inline_reader::wait(const deadline& until)
{
    waiter& w = waiter::of_this_thread();
    waiter::reason why = waiter::reason::woken;
    // For one connection, a read tells as much as a poll does.
    const bool lone = count() == 1;
    if (lone && (!poll_first_ || has_more()) && read()) return why;
    poll_first_ = true;
    while (!lone || !spin_([this] { return read(); })) {
        pollfd fds[1 + most];
        w.prepare();
        bool sleeps = false;
        {
            const mailbox::sleeper_here mine(mailbox_, w);
            asymmetric_fence::full_fence();  // partner: mailbox::wake(), which raises the flag and looks for a sleeper
            sleeps = !mailbox_.pending() && !has_news();
            if (sleeps) {
                list(fds + 1);
                why = w.sleep(fds, 1 + count(), until);
            }
        }
        if (!sleeps || (lone ? read_woken(fds + 1) : read(fds + 1))) break;
        if (wanted() || why != waiter::reason::woken || is_over(until)) break;
    }
    return why;
}

// The lone connection's read, after a sleep.
bool inline_reader::read_woken(const pollfd* fds) noexcept
{
    const auto& lane = taken_.front().end->peer().writer;
    const std::uint64_t before = lane.written();
    const bool gathers = spin_.enabled() && gathering_.yields();
    const auto yielded = gathers ? spin_.yield_once() : clock::duration{};
    const bool found = read(fds);
    const std::uint64_t messages = lane.written() - before;
    if (yielded == yielded.zero()) {
        gathering_.read(messages);
    } else {
        gathering_.read_after_yield(messages, yielded);
    }
    return found;
}

void inline_reader::read_now() noexcept
{
    if (count() == 1) {
        (void)read();
        return;
    }
    pollfd fds[most];
    list(fds);
    if (const auto ready = runtime::poll_now(fds, count()); ready && *ready != 0) (void)read(fds);
}

bool inline_reader::look() noexcept
{
    if (!lease_.may_look(now_(), unsigned(pipes_.size()))) return false;
    if (!begin()) {
        unpark();
        return false;
    }
    read_now();
    return end_round({count(), count()});  // the result of a look says nothing about sleeps
}

bool inline_reader::end(load::connections_read beside) noexcept
{
    return end_round({count() + beside.all, found_ + beside.found});
}

bool inline_reader::end_round(load::connections_read all) noexcept
{
    const auto neighbours = [this] { return taken_.front().end->parent().io.connection().neighbours(); };
    const auto verdict = lease_.waited(now_(), all, neighbours);
    for (connection& c : taken_) give_back(c, verdict.park, verdict.away);
    taken_.clear();
    return found_ != 0;
}

void inline_reader::skip(unsigned beside) noexcept
{
    if (!enabled_ || active() || pipes_.empty() || pipes_.size() > most) return;
    lease_.left_to_others(now_(), unsigned(pipes_.size()) + beside - 1);
}

bool inline_reader::begin_parked() noexcept
{
    if (lease_.is_over(now_(), unsigned(pipes_.size()))) {
        unpark();
        return false;
    }
    for (pipe::pipe_end* end : pipes_) {
        if (taken_.size() == most) break;
        if (!end->reader.has_news() && end->parent().io.read_token.take_if_parked_here())
            taken_.push_back({end, outcome::nothing});
    }
    found_ = 0;
    return active();
}

bool inline_reader::end_parked() noexcept
{
    for (const connection& c : taken_) {
        pipe::pipe& p = c.end->parent();
        if (c.last == outcome::hand_over) {
            p.io.read_token.hand_over();
            c.end->peer().notify(pipe::event_inline_stop);
        } else {
            park_or_leave(*c.end);
        }
    }
    taken_.clear();
    return found_ != 0;
}

void inline_reader::give_back(connection& c, bool back_soon, std::chrono::microseconds away) noexcept
{
    pipe::pipe& p = c.end->parent();
    if (c.last == outcome::hand_over) {
        // The I/O thread reads first. After that it decides which events it waits for.
        p.io.read_token.hand_over();
        c.end->peer().notify(pipe::event_inline_stop);
        return;
    }
    if (!back_soon) return leave(*c.end);
    p.io.parked.allow(away);
    park_or_leave(*c.end);
}

void inline_reader::park_or_leave(pipe::pipe_end& end) noexcept
{
    pipe::pipe& p = end.parent();
    if (!p.io.read_token.park()) return leave(end);
    parks_ = true;
    if (p.io.parked.note()) end.peer().notify(pipe::event_watch);
}

void inline_reader::unpark() noexcept
{
    if (!std::exchange(parks_, false)) return;
    lease_.ended();
    for (pipe::pipe_end* end : pipes_) {
        if (end->parent().io.read_token.take_if_parked_here()) leave(*end);
    }
}

void inline_reader::leave_for_good(pipe::pipe_end& end) noexcept
{
    pipe::pipe& p = end.parent();
    p.io.mute();
    if (p.io.read_token.take() != pipe::io_token::taken::no) p.io.read_token.hand_over();
    end.peer().notify(pipe::event_inline_stop);
}

// Gives the read token of `end`'s connection back, with the I/O thread's interest on. Input that was there when the
// interest was switched on has been reported by now, perhaps while this thread still held the token.
void inline_reader::leave(pipe::pipe_end& end) noexcept
{
    pipe::pipe& p = end.parent();
    p.io.connection().resume_reading();
    if (p.io.read_token.give()) end.peer().notify(pipe::event_token | pipe::event_inline_stop);
}

}  // namespace zlink::socket
