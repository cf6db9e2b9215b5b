// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// socket: sending and receiving, with the waits that patterns do not do.
#include "socket/socket.hpp"

#include "base/asymmetric_fence.hpp"
#include "base/at_end.hpp"
#include "base/cancellation.hpp"
#include "base/probes.hpp"
#include "load/limits.hpp"
#include "load/thread_waits.hpp"
#include "runtime/clock.hpp"
#include "socket/hosting.hpp"
#include "socket/thread_yielding.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace zlink::socket {

namespace {

constexpr std::chrono::milliseconds slice_without_fence{10};

}  // namespace

errc socket::send_by_pattern(const pipe::outgoing& frame, bool dontwait)
{
    if (mailbox_->pending() | housekeeping_) [[unlikely]] {
        if (const errc e = process(); e != errc::none) return e;
        if (mailbox_->shows_level()) {
            const errc e = send_processed(frame, dontwait);
            if (!options_.shared) show_level();  // a request may be there that waited for this reply
            return e;
        }
    }
    return send_processed(frame, dontwait);
}

[[gnu::always_inline]] inline errc socket::send_processed(const pipe::outgoing& frame, bool dontwait)
{
    const bool subscribes = subscriptions_.is_subscription(frame);
    if (subscription_order::owed_by_this_thread() && !subscribes) [[unlikely]]
        subscription_order::write_owed();
    if (subscriptions_.behind() && !options_.shared) [[unlikely]] {  // a shared one has caught up without its lock
        subscriptions_.catch_up();
        if (const errc e = mailbox_->pending() ? process() : errc::none; e != errc::none) return e;
    }
    send_waits_.begin_send(dontwait ? 0 : options_.sndtimeo);
    const errc e = pattern_->send(frame);
    shortcuts_.note_asked(*pattern_);
    if (subscribes) [[unlikely]]
        subscriptions_.note_told();
    // If a send asks for the end of a STREAM peer, the peer has ended when the call returns.
    if (pipes_.given_up()) [[unlikely]] {
        close_given_up();
        housekeeping_ = pipes_.conflates() || keeps_house();
    }
    if (e != errc::again) [[likely]] {
        send_waits_.sent(pipes_.open(), frame.size);
        return e;
    }
    if (!held_.empty()) {
        // Held messages may be the only obstacle.
        held_.send();
        if (const errc stopped = process(); stopped != errc::none) return stopped;
        const errc second = pattern_->send(frame);
        if (second != errc::again) return second;
    }
    if (options_.pattern.drops_when_full()) {
        if (const errc dropped = send_or_drop(frame); dropped != errc::again) return dropped;
    }
    if (!dontwait && options_.sndtimeo != 0) return send_waiting(frame);
    cancellation_point();  // for a thread that asks again and again
    return errc::again;
}

// The rest of the work for a small message, if the reader sleeps. Returns `size`.
int socket::notify_reader(int size) noexcept
{
    shortcuts_.target()->tell_reader();
    return size;
}

int socket::notify_reader_and_reset(message::frame& f, int size) noexcept
{
    shortcuts_.target()->tell_reader();
    f.reset();
    return size;
}

// `again`: there is no peer whose queue is full.
errc socket::send_or_drop(const pipe::outgoing& frame)
{
    const auto& open = pipes_.open();
    pipe::pipe_end* const sole = open.size() == 1 ? open.front() : nullptr;
    if (sole && await_room(*sole)) {
        pattern_->on_credit(*sole);
        if (const errc e = pattern_->send(frame); e != errc::again) return e;
    }
    if (!pattern_->drop(frame)) return errc::again;
    host_.account().dropped_full(sole);
    return errc::none;
}

errc socket::send_waiting(const pipe::outgoing& frame)
{
    const waits_by_steps stepping(hosted());
    host_.account().load.waits.add(1);
    probes::mark(probes::mark_side::sending, this);
    waiter& w = waiter::of_this_thread();
    thread_yielding* const yields = thread_yielding::of_this_thread();
    const deadline until = deadline_after(options_.sndtimeo);
    errc e = errc::again;
    while (e == errc::again) {
        // The pattern asked its full pipes for credit when it said `again`.
        waiter::reason why = waiter::reason::woken;
        if (!yields || !yields->for_credit([this] { return mailbox_->pending(); })) {
            w.prepare();
            const mailbox::sleeper_here mine(*mailbox_, w);
            asymmetric_fence::full_fence();  // partner: mailbox::wake(), which raises the flag and looks for a sleeper
            if (!mailbox_->pending()) why = w.sleep(until);
        }
        if (const errc stopped = process(); stopped != errc::none) return stopped;
        e = pattern_->send(frame);
        if (e != errc::again) break;
        if (why == waiter::reason::interrupted) return errc::interrupted;
        if (why == waiter::reason::timed_out || is_over(until)) return errc::again;
    }
    return e;
}

waiter::reason socket::sleep_for_input(const deadline& until)
{
    waiter& w = waiter::of_this_thread();
    w.prepare();
    const at_end end([this] { end_wait(); });
    const bool fenced = asymmetric_fence::sleeper_fence(begin_wait(w, poll_in));
    auto why = waiter::reason::woken;
    if (!end_announcement(poll_in)) {
        // Without the barrier a wake-up may be missed, so the sleep is short and another look follows.
        const deadline slice = runtime::clock::now() + slice_without_fence;
        why = w.sleep(fenced || (until && *until < *slice) ? until : slice);
        if (!fenced && why == waiter::reason::timed_out && (!until || *until > *slice)) why = waiter::reason::woken;
    }
    return why;
}

// A read of connections may have put messages into lanes that the pattern had put to sleep: no other thread tells the
// pattern.
void socket::activate_read_pipes() noexcept
{
    for (std::size_t i = 0; i < pipes_.open().size(); ++i) {
        pipe::pipe_end& end = *pipes_.open()[i];
        if (end.reader.dormant() && end.reader.has_news()) pattern_->on_data(end);
    }
}

void socket::end_reading(load::connections_read beside) noexcept
{
    if (reading_.end(beside)) activate_read_pipes();
}

void socket::end_reading_parked() noexcept
{
    if (reading_.end_parked()) activate_read_pipes();
}

std::uint64_t socket::received() const noexcept
{
    std::uint64_t count = 0;
    const auto& open = pipes_.open();
    const std::size_t counted = std::min(open.size(), load::limits::yielding::most_counted);
    for (std::size_t i = 0; i < counted; ++i) count += open[i]->reader.messages_read();
    return count;
}

waiter::reason socket::await_input(const deadline& until)
{
    load::note_wait_of_this_thread();
    if (reading_.begin()) {
        const at_end end([this] { end_reading(); });
        return reading_.wait(until);
    }
    reading_.unpark();  // the set of connections has changed
    reading_.skip();
    if (spin_([this] { return mailbox_->pending() || pattern_->can_receive(); }, [this] { return received(); }))
        return waiter::reason::woken;
    return sleep_for_input(until);
}

// Of a shared socket, the end of the hold shows it.
errc socket::receive_and_show(pipe::delivery& to, bool dontwait)
{
    errc e = rest_.any() ? receive_rest(to) : take(to);
    if (e == errc::again) e = receive_waiting(to, dontwait);
    if (!options_.shared) show_level();
    return e;
}

errc socket::take(pipe::delivery& to) noexcept
{
    const errc e = pattern_->receive(to);
    if (e == errc::none) more_ = to.more();
    return e;
}

// The last look of a receive that does not wait.
errc socket::receive_now(pipe::delivery& to)
{
    // An event that was posted meanwhile counts: it may have come between the look at the flag and the look at the
    // lanes.
    if (mailbox_->pending() | housekeeping_) {
        if (const errc stopped = process(); stopped != errc::none) return stopped;
        if (const errc e = take(to); e != errc::again) return e;
    }
    if (reading_.parks()) {
        if (reading_.look()) activate_read_pipes();
        if (const errc e = take(to); e != errc::again) return e;
    }
    announce_for_descriptor();
    cancellation_point();  // as in a send
    return errc::again;
}

errc socket::receive_waiting(pipe::delivery& to, bool dontwait)
{
    held_.end_round();
    if (dontwait || options_.rcvtimeo == 0) return receive_now(to);
    const waits_by_steps stepping(hosted());
    const deadline until = deadline_after(options_.rcvtimeo);
    while (true) {
        const waiter::reason why = await_input(until);
        if (const errc stopped = process(); stopped != errc::none) return stopped;
        if (const errc e = take(to); e != errc::again) return e;
        if (why == waiter::reason::interrupted) return errc::interrupted;
        if (why == waiter::reason::timed_out || is_over(until)) return errc::again;
    }
}

}  // namespace zlink::socket
