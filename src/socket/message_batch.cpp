// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/message_batch.hpp"

#include "base/at_end.hpp"
#include "base/cancellation.hpp"
#include "base/grow.hpp"
#include "base/many_octets.hpp"
#include "pipe/delivery.hpp"

#include <exception>

namespace zlink::socket {

namespace {

errc send_each(held_socket& s, std::span<message::frame> messages, bool dontwait, std::size_t& sent)
{
    for (; sent < messages.size(); ++sent) {
        const message::frame& next = messages[sent];
        if (s->send_small(next.data(), next.size()) != s->not_sent) continue;
        if (const errc e = s.send(pipe::outgoing::of(next, false), dontwait); e != errc::none) return e;
    }
    return errc::none;
}

/// False: memory is short.
bool has_room_for_one(spent_frames& spent) noexcept
{
    try {
        grow_for(spent, 1);
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

/// A message that is there, by the socket's shortcut and into blocks at hand. False: none was received, and `into` may
/// hold a body without content.
[[gnu::always_inline]] inline bool receive_at_once(held_socket& s, message::frame& into) noexcept
{
    const auto shown = s->show_at_once(message::most_kept_by_threads);
    // There is a message, so what the frame held is not needed, even if memory is short.
    if (!shown.data() || (!into.plain() && !into.reset_at_once())) return false;
    if (!into.init_size_at_once(shown.size()) || !into.set_properties_at_once(s->shown_properties())) return false;
    const std::uint32_t number = s->source_number();
    s->take_shown(shown);
    copy_many_octets(into.data(), shown.data(), shown.size());
    into.set_routing_id(number);
    return true;
}

errc receive_sole(held_socket& s, message::frame& into, bool dontwait)
{
    pipe::delivery to(into);
    if (pipe::incoming next; s->next_at_once(next)) {
        if (!to.deliver(next)) return errc::out_of_memory;
        into.set_routing_id(s->source_number());
        s->pop_at_once(next);
        return errc::none;
    }
    return s.shared() ? s.receive_sole(to, into, dontwait) : s->receive_sole(to, into, dontwait);
}

/// One message. `parts`: how many it has.
errc receive_one(held_socket& s, std::span<message::frame> room, bool dontwait, spent_frames& spent, std::size_t& parts)
{
    if (room.empty()) return s.receive_parts(room, parts, dontwait, spent);
    parts = 1;
    if (receive_at_once(s, room.front())) return errc::none;
    errc e = errc::none;
    if (room.front().plain()) {
        e = receive_sole(s, room.front(), dontwait);
    } else {
        message::owned_frame fresh;
        if (!has_room_for_one(spent)) return errc::out_of_memory;
        e = receive_sole(s, fresh, dontwait);
        if (e == errc::none) {
            spent.emplace_back().init_move(room.front());
            room.front().init_move(fresh);
        }
    }
    // It is taken out of its pipe as a whole, and goes to the next receive.
    return e == errc::message_too_long ? s.receive_parts(room, parts, true, spent) : e;
}

}  // namespace

errc send_batch(held_socket& s, std::span<message::frame> messages, bool dontwait, std::size_t& sent)
{
    // A shared socket holds nothing back: the threads that use it do not wait for each other's next message.
    if (s.shared()) return send_each(s, messages, dontwait, sent);
    s->begin_burst();
    const at_end burst([&] { s->end_burst(); });
    return send_each(s, messages, dontwait, sent);
}

errc receive_batch(held_socket& s, std::span<message::frame> room, bool dontwait, spent_frames& spent,
                   received_batch& got)
{
    if (const errc e = receive_one(s, room, dontwait, spent, got.parts); e != errc::none) return e;
    got.messages = 1;
    // The look that finds nothing more is a cancellation point, but these messages are to reach the caller.
    const cancellation_held_off hold;
    while (got.parts < room.size()) {
        std::size_t parts = 0;
        if (receive_one(s, room.subspan(got.parts), true, spent, parts) != errc::none) break;
        got.parts += parts;
        ++got.messages;
    }
    return errc::none;
}

}  // namespace zlink::socket
