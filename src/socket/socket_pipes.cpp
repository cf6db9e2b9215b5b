// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// socket: pipes that come and go.
#include "socket/socket.hpp"

#include "socket/hosting.hpp"
#include "socket/knobs.hpp"

#include <new>

namespace zlink::socket {

void socket::add_pipe(pipe::pipe_end& end, const pattern::attachment& how, std::uint64_t endpoint_id)
{
    shortcuts_.drop_for_news();
    subscriptions_.before_pipes_change();
    pipe_record& record = record_for(end);
    record.endpoint_id = endpoint_id;
    record.link = how.peer_is_socket ? pipe_link::to_name : pipe_link::to_connection;
    record.account.joins_sockets = how.peer_is_socket;
    if (mailbox_->has_descriptor()) end.reader.use_fences();
    pipes_.reserve();
    const std::size_t count = pipes_.size() + 1;
    held_.reserve(count);
    reading_.reserve(count);
    if (process_knobs().inline_io() && traits(options_.type).holds_sends && !is_shared()) end.held.holder = &held_;
    pipes_.add(end);
    endpoints_.join(end);
    if (!pattern_->attach(end, how)) {
        if (!record.rejected) throw std::bad_alloc();
        record.rejected = false;
        return give_up(end);
    }
    const endpoint_record* const endpoint = endpoints_.find(endpoint_id);
    host_.account().join(end, endpoint ? std::string_view(endpoint->text) : std::string_view());
    if (record.rejected) return move_to_rejected(end);
    // A STREAM socket's own routing id is the last name that it made up for a peer.
    if (traits(options_.type).makes_up_own_routing_id && how.connect_routing_id.empty())
        options_.routing_id = record.routing_id;
}

// A rejected pipe fills up to its high-water mark, and no further. If it has none, it gets the usual one.
void socket::move_to_rejected(pipe::pipe_end& end)
{
    constexpr std::uint64_t usual_hwm = 1000;
    pipes_.reject(end);
    if (options_.rcvhwm != 0) return;
    end.request_hwm(usual_hwm);
    end.peer().notify(pipe::event_hwm);
}

void socket::remove_pipe(pipe::pipe_end& end) noexcept
{
    subscriptions_.before_pipes_change();
    endpoints_.leave(end);
    close_pipe(end);
}

void socket::close_pipe(pipe::pipe_end& end) noexcept
{
    forget_pipe(end);
    end.parent().linger.store(options_.linger, std::memory_order_relaxed);
    mailbox_->close_end(end);
}

void socket::forget_pipe(pipe::pipe_end& end) noexcept
{
    shortcuts_.drop_for_news();
    host_.account().leave(end);
    if (pipes_.remove(end) == pipe_place::open && pattern_) pattern_->detach(end);
    held_.forget(end);
}

// An add_pipe() has failed, and is to be called again: as if the pipe had never been added.
void socket::take_out_pipe(pipe::pipe_end& end) noexcept
{
    if (!end.record) return;
    endpoints_.leave(end);
    forget_pipe(end);
    end.record.reset();
}

// Takes back the effects of an add_pipe() that may have failed halfway.
void socket::undo_add_pipe(pipe::pipe_end& end) noexcept
{
    if (pipes_.has(end)) return remove_pipe(end);
    mailbox_->close_end(end);
}

// Patterns give pipes up in the middle of other work, so the pipes are closed later.
void socket::give_up(pipe::pipe_end& end)
{
    pipes_.give_up(end);
    housekeeping_ = true;
}

bool socket::await_room(pipe::pipe_end& end) noexcept
{
    held_.send();
    const waits_by_steps stepping(send_waits_.may_wait() ? hosted() : nullptr);
    return send_waits_.make_room(end);
}

void socket::close_given_up() noexcept
{
    while (pipe::pipe_end* const end = pipes_.given_up()) remove_pipe(*end);
    housekeeping_ = keeps_house();
}

}  // namespace zlink::socket
