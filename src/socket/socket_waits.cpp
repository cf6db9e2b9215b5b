// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// socket: waits for peers, subscribers, and an empty queue.
#include "socket/socket.hpp"

#include "base/asymmetric_fence.hpp"
#include "base/at_end.hpp"
#include "runtime/clock.hpp"
#include "socket/context.hpp"
#include "socket/descriptor_signal.hpp"
#include "socket/hosting.hpp"
#include "socket/peer_condition.hpp"

#include <algorithm>

namespace zlink::socket {

hosting* socket::hosted() const noexcept
{
    return host_.in().hosted();
}

bool socket::has_undelivered(pipe::pipe_end& end) noexcept
{
    const pipe_link link = record_of(end).link;
    if (link == pipe_link::joined) return false;
    if (end.has_relay()) {
        const auto flow = end.look_at_outbound();
        return !flow || flow->queued.messages != 0;
    }
    return link == pipe_link::to_name ? end.writer.waiting() != 0 : end.held.any() || end.writer.reader_is_behind();
}

result<std::size_t> socket::count(const peer_condition& of)
{
    if (const errc stopped = process(); stopped != errc::none) return stopped;
    if (of.what == peer_condition::kind::subscribers) return pattern_->subscribers(of.topic);
    const auto& open = pipes_.open();
    if (of.what == peer_condition::kind::peers)
        return std::size_t(
            std::count_if(open.begin(), open.end(), [](auto* e) { return has_peer(record_of(*e).link); }));
    held_.send();
    return std::size_t(std::count_if(open.begin(), open.end(), [](auto* e) { return has_undelivered(*e); }));
}

// News that this takes in is shown to an event loop again at the end.
result<std::size_t> socket::await(const peer_condition& what, const deadline& until)
{
    descriptor_signal signal(*mailbox_);
    signal.changes();
    subscription_order::write_owed();
    bool interrupted = false;
    pause_between_looks pause;
    while (true) {
        const auto found = count(what);
        if (!found || what.holds(*found)) return found;
        if (interrupted) return errc::interrupted;
        if (is_over(until)) return errc::again;
        const bool is_told = what.what == peer_condition::kind::peers;
        const deadline next_look = runtime::clock::now() + pause.next();
        const bool looks_again = !is_told && (!until || *next_look < *until);
        interrupted = sleep_for_news(looks_again ? next_look : until) == waiter::reason::interrupted;
    }
}

// Other threads tell of peers that come. They do not tell that a lane has been read to its end. They tell of
// subscriptions once lanes are dormant, and a publisher with unread messages does not make them so.
waiter::reason socket::sleep_for_news(const deadline& until)
{
    constexpr short no_events = 0;
    const waits_by_steps stepping(hosted());
    waiter& w = waiter::of_this_thread();
    w.prepare();
    const at_end end([this] { end_wait(); });
    (void)begin_wait(w, no_events);
    asymmetric_fence::full_fence();  // partner: mailbox::wake(), which raises the flag and looks for a sleeper
    return end_announcement(no_events) ? waiter::reason::woken : w.sleep(until);
}

}  // namespace zlink::socket
