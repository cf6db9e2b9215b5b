// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/routing/numbered_peers.hpp"

#include "pattern/routing/single_frames.hpp"

#include <new>
#include <utility>

namespace zlink::pattern::routing {

namespace {

std::string_view octets_of(const std::uint32_t& number) noexcept
{
    return {reinterpret_cast<const char*>(&number), sizeof number};
}

}  // namespace

// Numbers start at a value made of this object's address, so that a number kept from an earlier socket rarely matches
// another peer.
numbered_peers::numbered_peers(owner& o) noexcept
    : owner_(o),
      queue_(*this),
      next_number_(std::uint32_t(reinterpret_cast<std::uintptr_t>(this) >> 4) * 2654435761u)
{}

bool numbered_peers::add(pipe::pipe_end& end) noexcept
{
    while (next_number_ == 0 || table_.find(octets_of(next_number_))) ++next_number_;
    if (!queue_.attach(end)) return false;
    routing_record& record = routing_of(end);
    record.number = next_number_++;
    record.routing_id = octets_of(record.number);  // short enough to need no memory
    if (table_.insert(end)) return true;
    queue_.remove(end);
    return false;
}

pipe::pipe_end* numbered_peers::find(std::uint32_t number) noexcept
{
    pipe::pipe_end* const found = table_.find(octets_of(number));
    return found && !found->peer_has_left() ? found : nullptr;
}

void numbered_peers::remove(pipe::pipe_end& end) noexcept
{
    table_.erase(end);
    queue_.remove(end);
}

void numbered_peers::tell(pipe::pipe_end& end, std::string_view body) noexcept
{
    (void)end.reader.readable();  // the properties are known once the reader has looked
    message::owned_frame told;
    if (!told.init_copy_of(body.data(), body.size())) return told.init();
    told.set_properties(end.reader.metadata());
    told.set_routing_id(routing_of(end).number);
    (void)backlog_.push(std::move(told), false);
}

errc numbered_peers::receive(pipe::delivery& to)
{
    if (!backlog_.empty()) [[unlikely]]
        return backlog_.deliver(to);
    pipe::incoming f;
    pipe::pipe_end* const end = next_single(queue_, f);
    // The search may have found that a peer left, which may cause a message.
    if (!end) return backlog_.empty() ? errc::again : backlog_.deliver(to);
    if (!to.deliver(f)) return errc::out_of_memory;
    if (to.frame()) to.frame()->set_routing_id(queue_.current_record().number);
    queue_.pop(*end, f);
    return errc::none;
}

bool numbered_peers::can_receive()
{
    return !backlog_.empty() || has_single(queue_) || !backlog_.empty();
}

void numbered_peers::on_peer_closed(pipe::pipe_end& end)
{
    table_.erase(end);
    queue_.peer_closed(end);
}

bool numbered_peers::confirm_sleep() noexcept
{
    const bool found = queue_.confirm_sleep();
    return found || !backlog_.empty();
}

void numbered_peers::on_drained(pipe::pipe_end& end)
{
    table_.erase(end);
    owner_.on_peer_drained(end);
}

}  // namespace zlink::pattern::routing
