// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The common part of the C functions: handles to objects, errc to errno, and no exception past this point.
#pragma once

#include "base/cancellation.hpp"
#include "base/many_octets.hpp"
#include "c_api/failing.hpp"
#include "message/frame.hpp"
#include "socket/context.hpp"
#include "socket/held_socket.hpp"

#define ZMQ_BUILD_DRAFT_API
#include <zmq.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <exception>

namespace zlink::c_api {

/// 0, or -1 with errno.
inline int answer(errc error) noexcept
{
    return error == errc::none ? 0 : fail(error);
}

/// `call()` returns errc; any exception that it throws means that memory is short. It must not be a cancellation point:
/// this function is noexcept, so the exception that ends a cancelled thread would end the process.
template <class Call>
int guarded(Call&& call) noexcept
{
    try {
        return answer(call());
    } catch (const std::exception&) {
        return fail(ENOMEM);
    }
}

/// Sizes are size_t inside and int in the API.
inline int as_int(std::size_t size) noexcept
{
    return int(std::min(size, std::size_t(INT_MAX)));
}

/// A call's hold of a socket. False, with errno: the handle is not a socket or the socket is closed (ENOTSOCK), or
/// another thread uses it (EFSM).
class call_on final : public socket::held_socket {
public:
    /// `how`: as held_socket has it.
    template <class... How>
    explicit call_on(void* handle, How... how) noexcept : held_socket(handle, how...)
    {
        if (!*this) [[unlikely]]
            (void)fail(refusal());
    }
};

inline constexpr socket::held_socket::led_off_plain_path led_off_plain_path;

/// Null, with EFAULT, if the handle is not a context or the context has ended.
inline socket::context* as_context(void* handle) noexcept
{
    if (socket::context::valid(handle)) return static_cast<socket::context*>(handle);
    (void)fail(EFAULT);
    return nullptr;
}

static_assert(sizeof(zmq_msg_t) == sizeof(message::frame) && alignof(zmq_msg_t) == alignof(message::frame));

/// The inside of a zmq_msg_t that need not be initialised.
inline message::frame& inside(zmq_msg_t* msg) noexcept
{
    return *reinterpret_cast<message::frame*>(msg);
}

/// Null, with EFAULT, for a message that was not initialised or is closed.
inline message::frame* as_frame(zmq_msg_t* msg) noexcept
{
    if (msg && inside(msg).initialised()) [[likely]]
        return &inside(msg);
    (void)fail(EFAULT);
    return nullptr;
}

inline const message::frame* as_frame(const zmq_msg_t* msg) noexcept
{
    return as_frame(const_cast<zmq_msg_t*>(msg));
}

inline bool all_initialised(zmq_msg_t* messages, std::size_t count) noexcept
{
    return std::all_of(messages, messages + count, [](zmq_msg_t& each) { return inside(&each).initialised(); });
}

/// copy_many_octets() as the last act of a function that needs no stack otherwise. Returns the size.
[[gnu::noinline]] inline int copy_and_return(void* to, const void* from, std::size_t size) noexcept
{
    copy_many_octets(to, from, size);
    return as_int(size);
}

/// Sends the frame, which stays as it is: the caller empties it, after a hold. Its free function may use the socket.
/// `Socket`: a socket, or a held one. Returns its size, or -1.
template <class Socket>
int send_frame(Socket& s, const message::frame& f, int flags)
{
    const std::size_t size = f.size();
    const errc e = s.send(pipe::outgoing::of(f, flags & ZMQ_SNDMORE), flags & ZMQ_DONTWAIT);
    if (e != errc::none) [[unlikely]]
        return fail(e);
    return as_int(size);
}

/// Receives into an initialised frame. Returns its size, or -1.
inline int receive_frame(socket::socket& s, message::frame& f, int flags)
{
    pipe::delivery to(f);
    if (pipe::incoming next; s.next_at_once(next)) {
        if (!to.deliver(next)) return fail(errc::out_of_memory);
        f.set_routing_id(s.source_number());
        s.pop_at_once(next);
        return as_int(to.size());
    }
    const errc e = s.receive(to, flags & ZMQ_DONTWAIT);
    if (e != errc::none) [[unlikely]]
        return fail(e);
    return as_int(to.size());
}

/// The same. If the socket is shared, the frame holds no body: see send_frame().
inline int receive_frame(socket::held_socket& s, message::frame& f, int flags)
{
    if (!s.shared()) return receive_frame(*s, f, flags);
    pipe::delivery to(f);
    const errc e = s.receive_sole(to, f, flags & ZMQ_DONTWAIT);
    return e == errc::none ? as_int(f.size()) : fail(e);
}

}  // namespace zlink::c_api
