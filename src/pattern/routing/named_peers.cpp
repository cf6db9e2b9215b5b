// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/routing/named_peers.hpp"

#include "base/byte_order.hpp"

#include <utility>

namespace zlink::pattern::routing {

std::string named_peers::new_name()
{
    std::string name(5, '\0');
    do {
        store_be32(reinterpret_cast<std::byte*>(name.data()) + 1, next_number_++);
    } while (table_.find(name));
    return name;
}

bool named_peers::add(pipe::pipe_end& end, std::string name) noexcept
{
    if (!addressed_peers::add(end, std::move(name))) return false;
    routing_of(end).identified = true;
    return true;
}

void named_peers::remove(pipe::pipe_end& end) noexcept
{
    if (sender_ == &end) sender_ = nullptr;
    addressed_peers::remove(end);
}

void named_peers::take_over_messages(pipe::pipe_end& end) noexcept
{
    // A limit, as a peer may go on writing: with usual high-water marks a lane holds fewer messages.
    constexpr int most_messages = 100000;
    frame_backlog kept;
    const bool begun = sender_ == &end;
    bool name_next = !begun;
    pipe::incoming f;
    for (int messages = 0; messages < most_messages && end.reader.next(f);) {
        if (name_next && !kept.push(routing_of(end).routing_id, true, f.metadata)) break;
        if (!kept.push(f)) break;
        end.pop(f);
        name_next = !f.more;
        messages += !f.more;
    }
    if (begun) sender_ = nullptr;
    if (kept.empty()) return;
    if (begun) {
        (void)backlog_.prepend(kept);
    } else if (kept.prepend(backlog_)) {
        std::swap(kept, backlog_);
    }
}

void named_peers::tell(pipe::pipe_end& end, std::string_view body) noexcept
{
    (void)end.reader.readable();  // the properties are known once the reader has looked
    message::metadata* const properties = end.reader.metadata();
    if (backlog_.push(routing_of(end).routing_id, true, properties)) (void)backlog_.push(body, false, properties);
}

// Receives a message that the peers' queue does not have: one that the library made up, or none. The search in the
// queue may have found that a peer left, which may cause such a message.
errc named_peers::receive_slow(pipe::delivery& to)
{
    // The rest of a message is always there. If it were missing, the next message would be due.
    if (std::exchange(sender_, nullptr)) return receive(to);
    return backlog_.empty() ? errc::again : backlog_.deliver(to);
}

bool named_peers::can_receive()
{
    return sender_ || !backlog_.empty() || queue_.readable() || !backlog_.empty();
}

bool named_peers::any_has_room() noexcept
{
    return table_.any([](pipe::pipe_end& end) { return end.writer.has_room_or_wait(); });
}

}  // namespace zlink::pattern::routing
