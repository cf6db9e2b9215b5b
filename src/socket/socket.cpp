// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/socket.hpp"

#include "base/invariant.hpp"
#include "runtime/pause.hpp"
#include "socket/context.hpp"
#include "socket/knobs.hpp"
#include "socket/live_sockets.hpp"

#include <chrono>
#include <utility>

namespace zlink::socket {

namespace {

/// How many peers that have left, with no other news, one look takes in: a hundred thousand may leave at once.
constexpr int most_departed_at_once = 64;

}  // namespace

socket::socket(context& owner, const socket_options& options, std::shared_ptr<socket_account> account)
    : mailbox_(new mailbox),
      subscriptions_(owner, pipes_.open(), traits(options.type).subscribes_by_message),
      held_(pipes_.open(), *mailbox_, account->load),
      reading_(process_knobs().inline_io() && traits(options.type).reads_inline, pipes_.open(), *mailbox_,
               process_knobs().spin()),
      spin_(runtime::yield_spin::that_naps(process_knobs().spin())),
      send_waits_(account->load, process_knobs().spin()),
      options_(options),
      host_(*this, owner, *mailbox_, std::move(account))
{}

socket::~socket()
{
    static_assert(sizeof(socket) >= sizeof(socket_memory::node));
    invariant([this] {
        const auto end = reinterpret_cast<std::uintptr_t>(&tag_ + 1) - reinterpret_cast<std::uintptr_t>(this);
        return end <= sizeof(socket_memory::node::dead_tag_stays_here);
    });
    kill_handle();
    mailbox_->release();
}

result<socket*> socket::create(context& owner, int type, const context_options& defaults, new_handle handle)
{
    const auto known = socket_type_of(type);
    if (!known) return errc::invalid_argument;
    const auto& shares = process_knobs().shared_bodies();
    auto account = std::make_shared<socket_account>(
        *known, socket_account::bounds{defaults.cap, shares ? std::make_shared<shm::budget>(*shares) : nullptr});
    auto* s = new (traits(*known).thread_safe) socket(owner, initial_options(*known, defaults), std::move(account));
    s->pattern_ = pattern::make_pattern(*known, *s, s->options_.pattern);
    if (!s->pattern_) {
        s->host_.release();
        return errc::out_of_memory;
    }
    if (handle != new_handle::none) {
        try {
            live_sockets::add(s, owner, s->host_.shared_account());
        } catch (...) {
            s->host_.release();
            throw;
        }
    }
    s->open_handle(handle);
    return s;
}

// Closing

void socket::close() noexcept
{
    kill_handle();
    live_sockets::remove(this);
    // The other state is shared with threads that exist in the parent alone. They may have been in the middle of
    // anything.
    if (host_.in().inherited()) return mailbox_->abandon();
    subscriptions_.forget();
    // First of all nobody is let in any more. A peer may connect anew as soon as its connection is lost: if this socket
    // still took that in, what the peer sends would be lost as well.
    endpoints_.for_each([this](const endpoint_record& record) {
        if (record.listener) record.listener->stop(std::chrono::milliseconds(options_.linger));
        if (record.binds_name()) (void)host_.in().names().unbind(record.name, mailbox_);
    });
    // The monitor goes with the last session and listener: their ends are events, too.
    while (!pipes_.open().empty()) close_pipe(*pipes_.open().back());
    while (!pipes_.rejected().empty()) close_pipe(*pipes_.rejected().back());
    host_.account().end();
    endpoints_.for_each([this](const endpoint_record& record) { stop_endpoint(record); });
    endpoints_.clear();
    host_.in().names().let_go(mailbox_, name_registry::every_endpoint);
    // Pipes on their way to this socket.
    for (command& c : mailbox_->close()) {
        if (c.what != command::kind::attach) continue;
        c.end->parent().linger.store(options_.linger, std::memory_order_relaxed);
        c.end->close();
    }
    rest_.clear();
    pattern_.reset();
    mailbox_->drain();
    host_.in().socket_closed(this);
    host_.release();
}

// Events from other threads

errc socket::process(int most_ends) noexcept
{
    shortcuts_.drop();
    if (mailbox_->pending()) {
        // Of a shared socket, the descriptor is for pollers of other threads: those take it in.
        mailbox_->acknowledge(options_.shared ? mailbox::descriptor_is::left : mailbox::descriptor_is::taken_in);
        command_list taken = mailbox_->take_commands();
        command_list rejected, again;
        while (!taken.empty()) {
            command& c = taken.front();
            shortcuts_.drop_for_news();
            try {
                if (!on_command(c)) rejected.splice(rejected.end(), taken, taken.begin());
            } catch (...) {
                if (c.joint) {
                    again.splice(again.end(), taken, taken.begin());
                } else {
                    give_up_command(c);
                }
            }
            if (!taken.empty() && &taken.front() == &c) taken.pop_front();
        }
        if (!again.empty()) [[unlikely]] {
            // The next call is the one that looks at pipes: an end's events must not overtake its command.
            again.splice(again.end(), rejected);
            mailbox_->put_back(again);
            runtime::yield();  // callers that wait look again at once
        } else {
            // A rejected pipe is looked at again after everything that came before it.
            process_ends(rejected.empty() ? most_ends : all_ends);
            process_departed(rejected.empty() ? most_departed_at_once : all_ends);
            if (!rejected.empty()) retry_rejected(rejected);
        }
    }
    pipes_.skip_to_newest();
    close_given_up();
    if (!mailbox_->take_stop()) return errc::none;
    shortcuts_.drop_for_news();
    return errc::terminated;
}

// Memory is short for a command about a connection: a pipe that cannot be taken up is closed, and with it the
// connection. An endpoint that is connected to connects anew. (Two sockets are joined only once: process() tries again.)
void socket::give_up_command(const command& c) noexcept
{
    const bool is_new = c.what == command::kind::attach;
    if (is_new || c.what == command::kind::identified) {
        c.end->parent().untaken.store(true, std::memory_order_relaxed);
        c.end->peer().notify(pipe::event_untaken);
    }
    if (is_new) undo_add_pipe(*c.end);
}

// If the quota ended the loop, more ends may be left: here, or in the mailbox's queue (its flag has been taken down).
void socket::process_ends(int most)
{
    for (int i = 0; i < most; ++i) {
        pipe::pipe_end* const end = mailbox_->next_end();
        if (!end) return;
        process_end(*end);
    }
    mailbox_->signal();
}

// These ends have no other news than that their party left, so the rest may wait until the next call at most.
void socket::process_departed(int most)
{
    for (int i = 0; i < most; ++i) {
        pipe::pipe_end* const end = mailbox_->take_departed();
        if (!end) return;
        process_end(*end);
    }
    if (mailbox_->has_departed()) mailbox_->signal();
}

void socket::process_end(pipe::pipe_end& end)
{
    shortcuts_.drop_for_news();
    const std::uint32_t events = end.take_events();
    if (end.closed()) {
        mailbox_->discard(end);
    } else {
        on_pipe(end, events);
    }
}

// False: a new pipe was rejected, and has to be looked at again.
bool socket::on_command(command& c)
{
    switch (c.what) {
    case command::kind::attach:
        take_over(record_for(*c.end), c);
        note_name(*c.end, c.how.routing_id);
        try {
            add_pipe(*c.end, c.how, c.endpoint_id);
        } catch (...) {
            if (c.joint) take_out_pipe(*c.end);
            throw;
        }
        if (c.how.peer_is_socket) connection_counts::count(host_.account().connections.connects);
        note_peer(*c.end, true);
        if (record_of(*c.end).rejected && record_of(*c.end).place_was_left) return false;
        c.end->attach(*mailbox_);
        if (record_of(*c.end).rejected) {
            c.end->peer().notify(pipe::event_rejected);
        } else if (!c.how.peer_is_socket && !endpoints_.find(c.endpoint_id)) {
            stop_reading(*c.end);  // of an endpoint that was ended while the connection was being made
        }
        break;
    case command::kind::identified: on_identified(c); break;
    case command::kind::disconnected:
        if (pipes_.has(*c.end)) {
            note_peer(*c.end, false);
            record_of(*c.end).lost_at = c.received;
        }
        host_.account().lost_connection(*c.end);
        if (pipes_.place_of(*c.end) == pipe_place::open) pattern_->on_disconnected(*c.end);
        break;
    case command::kind::ended:
        if (const endpoint_record* r = endpoints_.find(c.endpoint_id); r && !r->bound) endpoints_.erase(r->id);
        break;
    }
    return true;
}

// Copies the facts that a command has of the pipe's other side.
void socket::take_over(pipe_record& to, command& c) noexcept
{
    to.other_endpoint = std::move(c.other_endpoint);
    to.account.note_peer(c.how.routing_id, c.user_id);
    to.account.mechanism = c.mechanism;
    to.account.connected = true;
    if (!c.joint) return;
    to.peer_sndhwm = c.peer_sndhwm;
    to.peer_rcvhwm = c.peer_rcvhwm;
    to.peer_unlimited_out = c.peer_sndhwm == 0;
    to.peer_unlimited_in = c.peer_rcvhwm == 0;
}

// Patterns that route by names keep them themselves. Publishers do not, so disconnect_peer() finds peers by this.
void socket::note_name(pipe::pipe_end& end, const std::string& routing_id) const
{
    if (publishes(options_.type)) record_of(end).routing_id = routing_id;
}

void socket::on_identified(command& c)
{
    pipe::pipe_end& end = *c.end;
    const pipe_place place = pipes_.place_of(end);
    if (place == pipe_place::none) return;
    const bool rejected = place == pipe_place::rejected;
    {
        const auto held = host_.account().hold();
        take_over(record_of(end), c);
        note_peer(end, true);
        note_name(end, c.how.routing_id);
    }
    if (c.again && !rejected) pattern_->on_reconnected(end);
    {
        const auto held = host_.account().hold();  // it may name the peer
        pattern_->identified(end, c.how.routing_id);
    }
    if (c.joint) connection_counts::count(host_.account().connections.connects);
    if (record_of(end).rejected && !rejected) move_to_rejected(end);
    if (!record_of(end).rejected && rejected) pipes_.accept(end);
}

// They claimed the place of a peer that had left before. The notice of that was in the queue, which is read after the
// commands.
void socket::retry_rejected(const command_list& rejected) noexcept
{
    close_given_up();
    for (const command& c : rejected) {
        pipe::pipe_end& end = *c.end;
        try {
            host_.account().leave(end);
            (void)pipes_.remove(end);
            endpoints_.leave(end);
            record_of(end).rejected = false;
            add_pipe(end, c.how, c.endpoint_id);
            note_peer(end, true);
            end.attach(*mailbox_);
        } catch (...) {
            undo_add_pipe(end);
            continue;
        }
        if (record_of(end).rejected) end.peer().notify(pipe::event_rejected);
    }
}

void socket::on_pipe(pipe::pipe_end& end, std::uint32_t events)
{
    if (events & pipe::event_peer_closed) note_peer(end, false);
    if (record_of(end).rejected) {
        if (events & pipe::event_peer_closed) give_up(end);
        return;
    }
    if (events & pipe::event_hwm) {
        std::uint32_t news = 0;
        if (end.writer.apply_requested_hwm()) news |= pipe::event_hwm;
        if (end.reader.flush_credit()) news |= pipe::event_credit;
        if (news) end.peer().notify(news);
        pattern_->on_credit(end);
    }
    if (events & pipe::event_data) pattern_->on_data(end);
    if (events & pipe::event_credit) pattern_->on_credit(end);
    if (events & pipe::event_peer_closed) pattern_->on_peer_closed(end);
}

}  // namespace zlink::socket
