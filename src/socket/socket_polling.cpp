// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// socket: its readiness, and how other threads wait for it.
#include "socket/socket.hpp"

#include "base/asymmetric_fence.hpp"
#include "socket/descriptor_signal.hpp"

namespace zlink::socket {

result<short> socket::ready(short wanted, bool will_wait) noexcept
{
    bool rest = false;
    if (mailbox_->pending() | housekeeping_) [[unlikely]] {
        if (const errc stopped = process(); stopped != errc::none) return stopped;
        rest = rest_.any();  // implies housekeeping
    }
    short found = 0;
    if ((wanted & poll_out) && pattern_->can_send()) found |= poll_out;
    if ((wanted & poll_in) && (rest || pattern_->can_receive())) found |= poll_in;
    if (found == 0 && !held_.empty()) {
        // The caller waits, for input or for output: held messages go out first, and that may make room.
        held_.send();
        if (const errc stopped = process(); stopped != errc::none) return stopped;
        if ((wanted & poll_out) && pattern_->can_send()) found |= poll_out;
    }
    if (!(found & poll_in) && (wanted & poll_in)) {
        held_.end_round();
        if (reading_.parks() && !will_wait) {
            if (reading_.look()) activate_read_pipes();
            if (pattern_->can_receive()) found |= poll_in;
        }
        announce_for_descriptor();
    }
    // The look has taken a message out of the slot; a receive gets the one that is newest then.
    if (pipes_.conflates() && (found & poll_in)) housekeeping_ = true;
    return found;
}

// An event loop sleeps on ZMQ_FD without a notice to this socket: every "nothing there" has to be followed by a signal.
void socket::announce_for_descriptor() noexcept
{
    if (!mailbox_->has_descriptor()) return;
    const bool fenced = asymmetric_fence::sleeper_fence(pattern_->announce_sleep());
    // If news came in between, the program has seen "nothing", so it has to be signalled. If that cannot be known, it
    // is signalled, too; from the next time on all writers use fences.
    if (pattern_->confirm_sleep() || !fenced) mailbox_->signal();
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
    if (!mailbox_->has_descriptor()) {
        if (mailbox_->descriptor() < 0) return -1;
        for (pipe::pipe_end* end : pipes_.open()) end->reader.use_fences();
        // After this fence, writers that have not seen the switch are past their check.
        (void)asymmetric_fence::heavy_fence();
        mailbox_->signal();
    }
    return mailbox_->descriptor();
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
        const std::uint64_t out = end->held.any() ? end->writer.uncredited() : end->writer.waiting();
        const errc e = host_.events().report_queues(out, end->reader.messages_waiting(), where);
        if (e != errc::none) return e;
    }
    return errc::none;
}

}  // namespace zlink::socket
