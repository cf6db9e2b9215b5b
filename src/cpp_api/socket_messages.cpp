// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sending and receiving. What a frame has held is let go of before or after a hold, as its free function may use the
// socket.
#include "base/at_end.hpp"
#include "base/many_octets.hpp"
#include "cpp_api/calls.hpp"
#include "socket/message_batch.hpp"

#include <algorithm>

namespace zlink::inline v1::core {

using cpp_api::answer;
using cpp_api::fail;
using cpp_api::held;
using cpp_api::inside;

namespace {

errc send_held(held& s, const message::frame& f, int flags)
{
    const bool more = flags & flag_more;
    if (!more && s->send_small(f.data(), f.size()) != s->not_sent) return errc::none;
    return s.send(pipe::outgoing::of(f, more), flags & flag_dont_wait);
}

/// `f` is plain.
errc receive_held(held& s, message::frame& f, bool dontwait)
{
    pipe::delivery to(f);
    if (s.shared()) return s.receive_sole(to, f, dontwait);
    const auto shown = s->show_at_once(message::most_kept_by_threads);
    if (shown.data() && f.init_size_at_once(shown.size()) && f.set_properties_at_once(s->shown_properties())) {
        const std::uint32_t number = s->source_number();
        s->take_shown(shown);
        copy_many_octets(f.data(), shown.data(), shown.size());
        f.set_routing_id(number);
        return errc::none;
    }
    if (pipe::incoming next; s->next_at_once(next)) {
        if (!to.deliver(next)) return errc::out_of_memory;
        f.set_routing_id(s->source_number());
        s->pop_at_once(next);
        return errc::none;
    }
    return s->receive(to, dontwait);
}

}  // namespace

int socket_send(void* handle, raw_frame& frame, int flags)
{
    {
        held s(handle);
        if (!s) return answer(s.refusal());
        if (const errc e = send_held(s, inside(frame), flags); e != errc::none) return answer(e);
    }
    inside(frame).reset();
    return 0;
}

int socket_send_parts(void* handle, std::span<raw_frame> parts, int flags)
{
    {
        held s(handle);
        if (!s) return answer(s.refusal());
        if (parts.empty()) return fail(errc::invalid_argument, "a message has at least one part");
        const errc e = s.send_parts(inside(parts), flags & flag_dont_wait);
        if (e == errc::invalid_argument) return fail(e, "messages of this type of socket have another number of parts");
        if (e != errc::none) return answer(e);
    }
    for (raw_frame& part : parts) inside(part).reset();
    return 0;
}

int socket_send_many(void* handle, std::span<raw_frame> messages, int flags, std::size_t& sent)
{
    sent = 0;
    // After the hold, and also if the thread is cancelled in a wait.
    const at_end empty([&] {
        for (std::size_t i = 0; i < sent; ++i) inside(messages[i]).reset();
    });
    held s(handle);
    if (!s) return answer(s.refusal());
    return answer(socket::send_batch(s, inside(messages), flags & flag_dont_wait, sent));
}

int socket_receive(void* handle, raw_frame& frame, int flags)
{
    message::frame& f = inside(frame);
    f.reset();
    held s(handle);
    if (!s) return answer(s.refusal());
    const errc e = receive_held(s, f, flags & flag_dont_wait);
    if (e == errc::none) return 0;
    f.reset();
    if (e == errc::message_too_long)
        tell_failure("the message has several parts; it stays, for a receive of a whole message");
    return answer(e);
}

int socket_receive_parts(void* handle, std::span<raw_frame> room, int flags, std::size_t& parts)
{
    socket::spent_frames spent;
    held s(handle);
    if (!s) return answer(s.refusal());
    parts = room.size();
    return answer(s.receive_parts(inside(room), parts, flags & flag_dont_wait, spent));
}

int socket_receive_many(void* handle, std::span<raw_frame> room, int flags, std::size_t& messages, std::size_t& parts)
{
    socket::spent_frames spent;
    messages = parts = 0;
    held s(handle);
    if (!s) return answer(s.refusal());
    socket::received_batch got;
    const errc e = socket::receive_batch(s, inside(room), flags & flag_dont_wait, spent, got);
    messages = got.messages;
    parts = got.parts;
    if (e == errc::message_too_long) tell_failure("the next message has more parts than there is room for; it stays");
    return answer(e);
}

}  // namespace zlink::inline v1::core
