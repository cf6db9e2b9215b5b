// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/routing/numbered_peers.hpp"

#include "pattern/routing/message_forms.hpp"

#include <string>
#include <utility>

namespace zlink::pattern::routing {

namespace {

std::string_view octets_of(const std::uint32_t& number) noexcept
{
    return {reinterpret_cast<const char*>(&number), sizeof number};
}

}  // namespace

bool numbered_peers::add(pipe::pipe_end& end) noexcept
{
    while (next_number_ == 0 || table_.find(octets_of(next_number_))) ++next_number_;
    // Such a text is short enough to need no memory.
    if (!addressed_peers::add(end, std::string(octets_of(next_number_)))) return false;
    routing_of(end).number = next_number_++;
    return true;
}

pipe::pipe_end* numbered_peers::find(std::uint32_t number) noexcept
{
    pipe::pipe_end* const found = table_.find(octets_of(number));
    return found && !found->peer_has_left() ? found : nullptr;
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
    pipe::pipe_end* const end = single_frames::next(queue_, f);
    // The search may have found that a peer left, which may cause a message.
    if (!end) return backlog_.empty() ? errc::again : backlog_.deliver(to);
    if (!to.deliver(f)) return errc::out_of_memory;
    if (to.frame()) to.frame()->set_routing_id(queue_.current_record().number);
    queue_.pop(*end, f);
    return errc::none;
}

bool numbered_peers::can_receive()
{
    return !backlog_.empty() || has_next<single_frames>(queue_) || !backlog_.empty();
}

}  // namespace zlink::pattern::routing
