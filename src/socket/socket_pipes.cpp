// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// socket: pipes that come and go.
#include "socket/socket.hpp"

#include "socket/late_io.hpp"

#include <algorithm>

namespace zlink::socket {

void socket::add_pipe(pipe::pipe_end& end, const pattern::attachment& how, std::uint64_t endpoint_id)
{
    drop_shortcuts();
    pipe_record& record = record_for(end);
    record.endpoint_id = endpoint_id;
    record.socket_index = std::uint32_t(pipes_.size());
    if (mailbox_->has_descriptor()) end.reader.use_fences();
    conflates_ |= end.reader.conflates();
    // Giving up must not need memory.
    const std::size_t most = pipes_.size() + refused_.size();
    if (given_up_.capacity() <= most) given_up_.reserve(2 * most + 4);
    held_.reserve(most + 1);
    reading_.reserve(most + 1);
    if (inline_io_ && traits(options_.type).holds_sends) end.holder = &held_;
    pipes_.push_back(&end);
    endpoints_.join(end);
    if (!pattern_->attach(end, how)) return give_up(end);
    if (record.refused) return move_to_refused(end);
    // A STREAM socket's own routing id is the last name that it made up for a peer.
    if (traits(options_.type).makes_up_own_routing_id && how.connect_routing_id.empty())
        options_.routing_id = record.routing_id;
}

// A refused pipe fills up to its high-water mark, and no further; without one it gets the usual one.
void socket::move_to_refused(pipe::pipe_end& end)
{
    constexpr std::uint64_t usual_hwm = 1000;
    refused_.push_back(&end);
    leave_list(end);
    if (options_.rcvhwm != 0) return;
    end.reader.request_hwm(usual_hwm);
    end.peer().notify(pipe::event_hwm);
}

// A refused pipe that the pattern has taken after all; there is room in the list.
void socket::move_from_refused(pipe::pipe_end& end) noexcept
{
    std::erase(refused_, &end);
    record_of(end).socket_index = std::uint32_t(pipes_.size());
    pipes_.push_back(&end);
}

void socket::leave_list(const pipe::pipe_end& end) noexcept
{
    const std::uint32_t at = record_of(end).socket_index;
    pipes_[at] = pipes_.back();
    record_of(*pipes_[at]).socket_index = at;
    pipes_.pop_back();
}

bool socket::has(const pipe::pipe_end& end) const noexcept
{
    if (!end.record) return false;
    const std::uint32_t at = record_of(end).socket_index;
    return (at < pipes_.size() && pipes_[at] == &end) ||
           std::find(refused_.begin(), refused_.end(), &end) != refused_.end();
}

void socket::remove_pipe(pipe::pipe_end& end) noexcept
{
    endpoints_.leave(end);
    close_pipe(end);
}

void socket::close_pipe(pipe::pipe_end& end) noexcept
{
    drop_shortcuts();
    if (std::erase(refused_, &end) == 0) {
        if (pattern_) pattern_->detach(end);
        held_.forget(end);
        leave_list(end);
    }
    end.parent().linger.store(options_.linger, std::memory_order_relaxed);
    if (end.close() == pipe::pipe_end::closing::in_queue) ++closed_in_queue_;
}

// What add_pipe() has left of a pipe.
void socket::undo_add_pipe(pipe::pipe_end& end) noexcept
{
    if (has(end)) return remove_pipe(end);
    if (end.close() == pipe::pipe_end::closing::in_queue) ++closed_in_queue_;
}

// Patterns give pipes up in the middle of their own business; they are closed here, later.
void socket::give_up(pipe::pipe_end& end)
{
    if (std::find(given_up_.begin(), given_up_.end(), &end) == given_up_.end()) given_up_.push_back(&end);
    housekeeping_ = true;
}

bool socket::await_room(pipe::pipe_end& end) noexcept
{
    held_.send();
    return await_late_io(end);
}

void socket::close_given_up() noexcept
{
    while (!given_up_.empty()) {
        pipe::pipe_end* end = given_up_.back();
        given_up_.pop_back();
        if (has(*end)) remove_pipe(*end);
    }
    housekeeping_ = false;
}

}  // namespace zlink::socket
