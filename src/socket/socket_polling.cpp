// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// socket: its readiness, and how other threads wait for it.
#include "socket/socket.hpp"

#include "base/asymmetric_fence.hpp"
#include "socket/descriptor_signal.hpp"

#include <vector>

namespace zlink::socket {

namespace {

// All writers see the first descriptor that there is.
void use_fences(const std::vector<pipe::pipe_end*>& pipes) noexcept
{
    for (pipe::pipe_end* end : pipes) end->reader.use_fences();
    // After this fence, writers that have not seen the switch are past their check.
    (void)asymmetric_fence::heavy_fence();
}

// A send does not wait: a peer has room, or the message is dropped.
bool takes_messages(pattern::pattern& sends, const pattern::pattern_options& o) noexcept
{
    return sends.can_send() || (o.drops_when_full() && sends.may_drop());
}

}  // namespace

result<short> socket::ready(short wanted, bool will_wait) noexcept
{
    bool rest = false;
    if (mailbox_->pending() | housekeeping_) [[unlikely]] {
        if (const errc stopped = process(); stopped != errc::none) return stopped;
        rest = rest_.any();  // implies housekeeping
    }
    short found = 0;
    if ((wanted & poll_out) && takes_messages(*pattern_, options_.pattern)) found |= poll_out;
    if ((wanted & poll_in) && (rest || pattern_->can_receive())) found |= poll_in;
    if (found == 0 && !held_.empty()) {
        // The caller waits, for input or for output: held messages go out first, and that may make room.
        held_.send();
        if (const errc stopped = process(); stopped != errc::none) return stopped;
        if ((wanted & poll_out) && takes_messages(*pattern_, options_.pattern)) found |= poll_out;
    }
    if (!(found & poll_in) && (wanted & poll_in)) {
        held_.end_round();
        if (reading_.parks() && !will_wait) {
            if (reading_.look()) activate_read_pipes();
            if (pattern_->can_receive()) found |= poll_in;
        }
        announce_for_descriptor();
    }
    if ((found & poll_in) && mailbox_->shows_level()) mailbox_->raise_level();
    // The look has taken a message out of the slot; a receive gets the one that is newest then.
    if (pipes_.conflates() && (found & poll_in)) housekeeping_ = true;
    return found;
}

// An event loop sleeps on ZMQ_FD or ZLINK_FD without a notice to this socket: every "nothing there" has to be followed
// by a signal. ZLINK_FD goes down first, so that a signal from then on is seen, and one from before is pending.
void socket::announce_for_descriptor() noexcept
{
    if (!mailbox_->has_descriptor()) return;
    mailbox_->lower_level();
    const bool fenced = asymmetric_fence::sleeper_fence(pattern_->announce_sleep());
    // If news came in between, the program has seen "nothing", so it has to be signalled. If that cannot be known, it
    // is signalled, too; from the next time on all writers use fences.
    if (pattern_->confirm_sleep() || !fenced) {
        mailbox_->signal();
    } else if (mailbox_->pending()) {
        mailbox_->raise_level();
    }
}

// Whatever the call that ends has done: parts of a message that are left count, as does a message that waits for the
// turn of a REP.
void socket::show_level() noexcept
{
    // News that was no message, like a new peer, is no reason for a receive.
    if (mailbox_->pending() && process() != errc::none) return mailbox_->raise_level();
    if (more_ || rest_.any() || pattern_->can_receive()) return mailbox_->raise_level();
    announce_for_descriptor();
}

bool socket::begin_wait(waiter& w, short wanted) noexcept
{
    reading_.unpark();
    mailbox_->set_sleeper(&w);
    return !waits_for_lanes(wanted) || pattern_->announce_sleep();
}

bool socket::end_announcement(short wanted) noexcept
{
    const bool news = waits_for_lanes(wanted) ? pattern_->confirm_sleep() : reading_.has_news();
    return mailbox_->pending() || news;
}

int socket::descriptor() noexcept
{
    reading_.unpark();
    const bool is_new = !mailbox_->shows_changes(), is_first = !mailbox_->has_descriptor();
    const int fd = mailbox_->descriptor();
    if (fd < 0 || !is_new) return fd;
    if (is_first) use_fences(pipes_.open());
    mailbox_->signal();
    return fd;
}

int socket::level_descriptor() noexcept
{
    reading_.unpark();
    const bool is_first = !mailbox_->has_descriptor();
    const int fd = mailbox_->level_descriptor();
    if (fd < 0) return fd;
    if (is_first) use_fences(pipes_.open());
    housekeeping_ = true;  // from now on no call takes a shortcut
    show_level();
    return fd;
}

void socket::tell_news(news_call c) noexcept
{
    const bool is_first = !mailbox_->has_descriptor();
    mailbox_->set_news_call(c);
    if (!c.call) return;
    reading_.unpark();
    if (is_first) use_fences(pipes_.open());
    mailbox_->signal();
}

errc socket::report_pipes() noexcept
{
    const descriptor_signal signal(*mailbox_);
    if (const errc stopped = process(); stopped != errc::none) return stopped;
    if (!host_.events().wants_queues()) return errc::invalid_argument;
    if (pipes_.open().empty()) return errc::again;
    for (pipe::pipe_end* end : pipes_.open()) {
        const endpoint_record* found = endpoints_.find(record_of(*end).endpoint_id);
        engine::endpoint_pair where;
        if (found) {
            where.bound = found->bound;
            (found->bound ? where.local : where.remote) = found->text;
            (found->bound ? where.remote : where.local) = record_of(*end).other_endpoint;
        }
        const std::uint64_t out = end->has_relay()  ? end->messages_queued()
                                  : end->held.any() ? end->writer.uncredited()
                                                    : end->writer.waiting();
        const errc e = host_.events().report_queues(out, end->reader.messages_waiting(), where);
        if (e != errc::none) return e;
    }
    return errc::none;
}

}  // namespace zlink::socket
