// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/routing/addressed_peers.hpp"

#include <utility>

namespace zlink::pattern::routing {

// Numbers start at a value made of this object's address, so that one kept from an earlier socket rarely matches
// another peer.
addressed_peers::addressed_peers(owner& o) noexcept
    : owner_(o),
      queue_(*this),
      next_number_(std::uint32_t(reinterpret_cast<std::uintptr_t>(this) >> 4) * 2654435761u)
{}

bool addressed_peers::add(pipe::pipe_end& end, std::string address) noexcept
{
    if (!queue_.attach(end)) return false;
    routing_of(end).routing_id = std::move(address);
    if (table_.insert(end)) return true;
    queue_.remove(end);
    return false;
}

void addressed_peers::remove(pipe::pipe_end& end) noexcept
{
    table_.erase(end);
    queue_.remove(end);
}

void addressed_peers::on_peer_closed(pipe::pipe_end& end)
{
    table_.erase(end);
    queue_.peer_closed(end);
}

bool addressed_peers::confirm_sleep() noexcept
{
    const bool found = queue_.confirm_sleep();
    return found || !backlog_.empty();
}

void addressed_peers::on_drained(pipe::pipe_end& end)
{
    table_.erase(end);
    owner_.on_peer_drained(end);
}

}  // namespace zlink::pattern::routing
