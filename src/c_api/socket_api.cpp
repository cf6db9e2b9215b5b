// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zmq_socket() and the calls on sockets: options, endpoints, sending and receiving.
#include "base/many_octets.hpp"
#include "base/small_octets.hpp"
#include "c_api/handles.hpp"
#include "socket/knobs.hpp"
#include "socket/words.hpp"

#include <zlink.h>

#include <algorithm>
#include <cstring>
#include <string>

using namespace zlink;
using namespace zlink::c_api;

namespace {

constexpr const char* not_initialised = "a message is not initialised, or was closed: zmq_msg_init() makes one";

/// Returns the result of a call that may note why it fails. If the call fails without a note, and errno does not say it
/// all, `words(errno)` is noted.
template <class Call, class Words>
int told(Call&& call, Words&& words) noexcept
{
    forget_words();
    return guarded([&] {
        const errc e = call();
        if (e == errc::none) forget_words();
        const bool says_it_all = e == errc::none || e == errc::again || e == errc::interrupted || e == errc::terminated;
        if (!says_it_all && !has_words()) tell_failure(words(to_errno(e)));
        return e;
    });
}

/// Runs a member function on an endpoint given as text.
int with_endpoint(void* handle, const char* endpoint, socket::endpoint_call what,
                  errc (socket::socket::*call)(std::string_view)) noexcept
{
    const call_on s(handle);
    if (!s) return -1;
    const cancellation_held_off hold;
    return told([&] { return endpoint ? ((*s).*call)(endpoint) : errc::invalid_argument; },
                [&](int error) { return socket::words_of_endpoint(what, endpoint ? endpoint : "", error); });
}

// zmq_send and zmq_recv try the ways that need no stack; the rest is out of line. Handles of sockets that are shared or
// checked, and of none, are led off at their one look at the handle's tag.

pipe::outgoing octets_to_send(const void* data, std::size_t size, int flags, bool dont_wait) noexcept
{
    return {static_cast<const std::byte*>(data), size, (flags & ZMQ_SNDMORE) != 0, nullptr, true, dont_wait};
}

[[gnu::noinline]] int send_octets_led_off(void* handle, const void* data, std::size_t size, int flags)
{
    call_on s(handle, led_off_plain_path);
    if (!s) return -1;
    if (!data && size) return fail(EFAULT);
    if (data && !(flags & ZMQ_SNDMORE)) {
        const int sent = s->send_small(static_cast<const std::byte*>(data), size);
        if (sent != s->not_sent) return sent;
    }
    const bool dont_wait = (flags & ZMQ_DONTWAIT) || s.shared() || s->never_waits_to_send();
    const errc e = s.send(octets_to_send(data, size, flags, dont_wait), flags & ZMQ_DONTWAIT);
    return e == errc::none ? as_int(size) : fail(e);
}

[[gnu::noinline]] int send_octets(socket::socket& s, const void* data, std::size_t size, int flags)
{
    if (!data && size) [[unlikely]]
        return fail(EFAULT);
    const bool dont_wait = (flags & ZMQ_DONTWAIT) || s.never_waits_to_send();
    const errc e = s.send(octets_to_send(data, size, flags, dont_wait), flags & ZMQ_DONTWAIT);
    return e == errc::none ? as_int(size) : fail(e);
}

[[gnu::always_inline]] inline int receive_octets_of(socket::socket& s, void* buffer, std::size_t size, int flags)
{
    if (pipe::incoming f; s.next_at_once(f)) {
        copy_octets(buffer, f.data, std::min(f.size, size));
        s.pop_at_once(f);
        return as_int(f.size);
    }
    pipe::delivery to(buffer, size);
    const errc e = s.receive(to, flags & ZMQ_DONTWAIT);
    return e == errc::none ? as_int(to.size()) : fail(e);
}

/// Of a shared socket. A body is left in `f`, to be freed after the hold.
int receive_sole_octets(socket::held_socket& s, message::frame& f, void* buffer, std::size_t size, int flags)
{
    if (pipe::incoming next; s->next_at_once(next) && !next.by_reference) {
        copy_octets(buffer, next.data, std::min(next.size, size));
        s->pop_at_once(next);
        return as_int(next.size);
    }
    pipe::delivery to(buffer, size, f);
    const errc e = s.receive_sole(to, f, flags & ZMQ_DONTWAIT);
    if (e != errc::none) return fail(e);
    if (to.frame()) copy_many_octets(buffer, f.data(), std::min(f.size(), size));
    return as_int(to.size());
}

[[gnu::noinline]] int receive_octets_led_off(void* handle, void* buffer, std::size_t size, int flags)
{
    message::owned_frame body;
    call_on s(handle, led_off_plain_path);
    if (!s) return -1;
    if (!buffer && size) return fail(EFAULT);
    if (buffer) {
        const auto taken = s->take_at_once(size);
        if (taken.data()) return copy_and_return(buffer, taken.data(), taken.size());
    }
    return s.shared() ? receive_sole_octets(s, body, buffer, size, flags) : receive_octets_of(*s, buffer, size, flags);
}

[[gnu::noinline]] int receive_octets(socket::socket& s, void* buffer, std::size_t size, int flags)
{
    if (!buffer && size) [[unlikely]]
        return fail(EFAULT);
    return receive_octets_of(s, buffer, size, flags);
}

int send_parts_held(void* handle, zmq_msg_t* parts, std::size_t count, int flags)
{
    call_on s(handle);
    if (!s) return -1;
    if (!parts) return fail(EFAULT, "parts is NULL");
    if (count == 0) return fail(EINVAL, "count is 0: a message has at least one part");
    if (flags & ~ZMQ_DONTWAIT) return fail(EINVAL, "flags other than ZMQ_DONTWAIT; all parts go at once");
    if (!all_initialised(parts, count)) return fail(EFAULT, not_initialised);
    return explained(answer(s.send_parts({&inside(parts), count}, flags & ZMQ_DONTWAIT)),
                     {{EINVAL, "messages of this type of socket have another number of parts"},
                      {ENOTSUP, "sockets of this type do not send"}});
}

int with_group(void* handle, const char* group, bool join) noexcept
{
    const call_on s(handle);
    if (!s) return -1;
    if (!group) return fail(EFAULT, "group is NULL");
    const cancellation_held_off hold;
    // A group that is too long need not be read to its end.
    const int done = guarded([&] { return s->join({group, ::strnlen(group, ZMQ_GROUP_MAX_LENGTH + 1)}, join); });
    return explained(done,
                     {{EINVAL, join ? "the socket has joined this group already, or its name is longer than 255 octets"
                                    : "the socket has not joined this group"},
                      {ENOTSUP, "only a DISH joins and leaves groups; a SUB has ZMQ_SUBSCRIBE"}});
}

}  // namespace

void* zmq_socket(void* handle, int type)
{
    socket::context* c = as_context(handle);
    if (!c) return nullptr;
    const cancellation_held_off hold;
    const bool checked = socket::process_knobs().check_threads();
    auto opened = c->open_socket(type, checked ? socket::new_handle::checked : socket::new_handle::plain);
    if (opened) return *opened;
    (void)fail(opened.error());
    return nullptr;
}

int zmq_close(void* handle)
{
    const cancellation_held_off hold;
    call_on s(handle);
    if (!s) return -1;
    s.close();
    return 0;
}

int zmq_setsockopt(void* handle, int option, const void* value, size_t size)
{
    const call_on s(handle);
    if (!s) return -1;
    const cancellation_held_off hold;
    return told([&] { return s->set(option, value, size); },
                [&](int error) { return socket::words_of_option(true, option, size, error); });
}

int zmq_getsockopt(void* handle, int option, void* value, size_t* size)
{
    const call_on s(handle);
    if (!s) return -1;
    return told([&] { return s->get(option, value, size); },
                [&](int error) { return socket::words_of_option(false, option, size ? *size : 0, error); });
}

int zmq_bind(void* handle, const char* endpoint)
{
    return with_endpoint(handle, endpoint, socket::endpoint_call::bind, &socket::socket::bind);
}

int zmq_connect(void* handle, const char* endpoint)
{
    return with_endpoint(handle, endpoint, socket::endpoint_call::connect, &socket::socket::connect);
}

int zmq_unbind(void* handle, const char* endpoint)
{
    return with_endpoint(handle, endpoint, socket::endpoint_call::unbind, &socket::socket::end_endpoints);
}

int zmq_disconnect(void* handle, const char* endpoint)
{
    return with_endpoint(handle, endpoint, socket::endpoint_call::disconnect, &socket::socket::end_endpoints);
}

int zlink_disconnect_peer(void* handle, const void* routing_id, size_t size)
{
    const call_on s(handle);
    if (!s) return -1;
    if (!routing_id && size) return fail(EFAULT, "routing_id is NULL");
    const cancellation_held_off hold;
    return explained(answer(s->disconnect_peer({static_cast<const char*>(routing_id), size})),
                     {{EINVAL, "an empty routing id names no peer"},
                      {EHOSTUNREACH, "no peer has this routing id; a SUB announces one with ZMQ_ROUTING_ID"},
                      {ENOTSUP, "only peers of ROUTER, STREAM, PUB and XPUB have routing ids; SERVER and PEER have "
                                "zmq_disconnect_peer()"}});
}

// Sending and receiving

int zmq_send(void* handle, const void* data, size_t size, int flags)
{
    if (!socket::socket::valid(handle)) [[unlikely]]
        return send_octets_led_off(handle, data, size, flags);
    auto& s = *static_cast<socket::socket*>(handle);
    if (data && !(flags & ZMQ_SNDMORE)) [[likely]] {
        const int sent = s.send_small(static_cast<const std::byte*>(data), size);
        if (sent != s.not_sent) [[likely]]
            return sent;
    }
    return send_octets(s, data, size, flags);
}

int zmq_send_const(void* handle, const void* data, size_t size, int flags)
{
    call_on s(handle);
    if (!s) [[unlikely]]
        return -1;
    if (!data && size) [[unlikely]]
        return fail(EFAULT);
    message::frame constant;
    constant.init_constant(data, size);
    return send_frame(s, constant, flags);
}

int zmq_recv(void* handle, void* buffer, size_t size, int flags)
{
    if (!socket::socket::valid(handle)) [[unlikely]]
        return receive_octets_led_off(handle, buffer, size, flags);
    auto& s = *static_cast<socket::socket*>(handle);
    if (buffer) [[likely]] {
        const auto taken = s.take_at_once(size);
        if (taken.data()) [[likely]] {
            if (taken.size() > most_small_octets) return copy_and_return(buffer, taken.data(), taken.size());
            copy_small_octets(buffer, taken.data(), taken.size());
            return int(taken.size());
        }
    }
    return receive_octets(s, buffer, size, flags);
}

int zmq_sendmsg(void* handle, zmq_msg_t* msg, int flags)
{
    return zmq_msg_send(msg, handle, flags);
}

int zmq_recvmsg(void* handle, zmq_msg_t* msg, int flags)
{
    return zmq_msg_recv(msg, handle, flags);
}

// Whole messages

int zlink_send_parts(void* handle, zmq_msg_t* parts, size_t count, int flags)
{
    const int sent = send_parts_held(handle, parts, count, flags);
    if (sent == 0) std::for_each(parts, parts + count, [](zmq_msg_t& part) { inside(&part).reset(); });
    return sent;
}

int zlink_recv_parts(void* handle, zmq_msg_t* parts, size_t* count, int flags)
{
    socket::spent_frames spent;
    call_on s(handle);
    if (!s) return -1;
    if (!count || (!parts && *count != 0)) return fail(EFAULT, "count or parts is NULL");
    if (flags & ~ZMQ_DONTWAIT) return fail(EINVAL, "flags other than ZMQ_DONTWAIT");
    if (!all_initialised(parts, *count)) return fail(EFAULT, not_initialised);
    const errc e = s.receive_parts({parts ? &inside(parts) : nullptr, *count}, *count, flags & ZMQ_DONTWAIT, spent);
    return explained(answer(e),
                     {{EMSGSIZE, "the message has more parts than there is room for; it stays, and count is the "
                                 "number that it needs"},
                      {ENOTSUP, "sockets of this type do not receive"}});
}

// One peer, or one group of peers

int zmq_join(void* handle, const char* group)
{
    return with_group(handle, group, true);
}

int zmq_leave(void* handle, const char* group)
{
    return with_group(handle, group, false);
}

uint32_t zmq_connect_peer(void* handle, const char* endpoint)
{
    const call_on s(handle);
    if (!s) return 0;
    const cancellation_held_off hold;
    uint32_t number = 0;
    const auto connect = [&] {
        if (!endpoint) return errc::invalid_argument;
        const auto connected = s->connect_peer(endpoint);
        if (connected) number = *connected;
        return connected.error();
    };
    const int done = told(connect, [&](int error) {
        if (error == ENOTSUP) return std::string("only a PEER connects to a peer; others have zmq_connect()");
        if (error == EFAULT) return std::string("a PEER with ZMQ_IMMEDIATE has no peer before the connection");
        return socket::words_of_endpoint(socket::endpoint_call::connect, endpoint ? endpoint : "", error);
    });
    return done == 0 ? number : 0;
}

int zmq_disconnect_peer(void* handle, uint32_t routing_id)
{
    const call_on s(handle);
    if (!s) return -1;
    const cancellation_held_off hold;
    return explained(guarded([&] { return s->disconnect_peer(routing_id); }),
                     {{EHOSTUNREACH, "no peer has this number: zmq_msg_routing_id() tells it, or zmq_connect_peer()"},
                      {ENOTSUP, "only peers of SERVER and PEER have numbers; ROUTER has zlink_disconnect_peer()"}});
}

int zmq_socket_get_peer_state(void* handle, const void* routing_id, size_t size)
{
    const call_on s(handle);
    if (!s) return -1;
    if (!routing_id && size) return fail(EFAULT, "routing_id is NULL");
    const auto state = s->state_of_peer({static_cast<const char*>(routing_id), size});
    return explained(state ? int(*state) : fail(state.error()),
                     {{EHOSTUNREACH, "no peer has this routing id"}, {ENOTSUP, "only a ROUTER has peers with states"}});
}
