// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zmq_poller_*().
#include "socket/poller.hpp"

#include "c_api/handles.hpp"

#include <exception>
#include <new>

using namespace zlink;
using namespace zlink::c_api;

namespace {

constexpr int no_descriptor = -1;

constexpr explanation of_entries[] = {
    {EINVAL, "it is in the poller already, or is to be changed and is not there, or an event is none of ZMQ_POLLIN, "
             "ZMQ_POLLOUT, ZMQ_POLLERR and ZMQ_POLLPRI"},
    {EBADF, "a descriptor is 0 or more"},
};

/// Null, with EFAULT, if the handle is not a poller.
socket::poller* as_poller(void* handle) noexcept
{
    if (socket::poller::valid(handle)) return static_cast<socket::poller*>(handle);
    (void)fail(EFAULT, "that is not a poller, or it was destroyed: zmq_poller_new() makes one");
    return nullptr;
}

/// Runs `call` on the poller with a socket that is not null.
template <class Call>
int with_socket(void* handle, void* s, Call&& call) noexcept
{
    socket::poller* p = as_poller(handle);
    if (!p) return -1;
    if (!s) return fail(ENOTSOCK, "the socket is NULL: zmq_poller_add_fd() and its like are for descriptors");
    return explained(guarded([&] { return call(*p, socket::poller::object{s, no_descriptor}); }), of_entries);
}

template <class Call>
int with_descriptor(void* handle, int fd, Call&& call) noexcept
{
    socket::poller* p = as_poller(handle);
    if (!p) return -1;
    return explained(guarded([&] { return call(*p, socket::poller::object{nullptr, fd}); }), of_entries);
}

int wait(socket::poller& p, zmq_poller_event_t* events, int count, long timeout)
{
    try {
        const auto stored = p.wait({events, std::size_t(count)}, timeout);
        return explained(
            stored ? *stored : fail(stored.error()),
            {{EAGAIN, "nothing was ready, and the time is over"},
             {EFAULT, "the poller has nothing to wait for: it would wait for ever"},
             {ENOTSOCK, "a socket of the poller was closed: zmq_poller_remove() comes before zmq_close()"}});
    } catch (const std::exception&) {
        return fail(ENOMEM);
    }
}

}  // namespace

void* zmq_poller_new(void)
{
    auto* made = new (std::nothrow) socket::poller;
    if (!made) set_errno(ENOMEM);
    return made;
}

int zmq_poller_destroy(void** handle)
{
    socket::poller* p = as_poller(handle ? *handle : nullptr);
    if (!p) return -1;
    delete p;
    *handle = nullptr;
    return 0;
}

int zmq_poller_size(void* handle)
{
    const socket::poller* p = as_poller(handle);
    return p ? as_int(p->size()) : -1;
}

int zmq_poller_add(void* handle, void* s, void* user_data, short events)
{
    return with_socket(handle, s, [&](auto& p, auto what) { return p.add(what, user_data, events); });
}

int zmq_poller_modify(void* handle, void* s, short events)
{
    return with_socket(handle, s, [&](auto& p, auto what) { return p.modify(what, events); });
}

int zmq_poller_remove(void* handle, void* s)
{
    return with_socket(handle, s, [](auto& p, auto what) { return p.remove(what); });
}

int zmq_poller_add_fd(void* handle, zmq_fd_t fd, void* user_data, short events)
{
    return with_descriptor(handle, fd, [&](auto& p, auto what) { return p.add(what, user_data, events); });
}

int zmq_poller_modify_fd(void* handle, zmq_fd_t fd, short events)
{
    return with_descriptor(handle, fd, [&](auto& p, auto what) { return p.modify(what, events); });
}

int zmq_poller_remove_fd(void* handle, zmq_fd_t fd)
{
    return with_descriptor(handle, fd, [](auto& p, auto what) { return p.remove(what); });
}

int zmq_poller_wait(void* handle, zmq_poller_event_t* event, long timeout)
{
    socket::poller* p = as_poller(handle);
    if (!p) return -1;
    if (!event) return fail(EFAULT, "event is NULL");
    if (wait(*p, event, 1, timeout) > 0) return 0;
    *event = {nullptr, no_descriptor, nullptr, 0};
    return -1;
}

int zmq_poller_wait_all(void* handle, zmq_poller_event_t* events, int count, long timeout)
{
    socket::poller* p = as_poller(handle);
    if (!p) return -1;
    if (!events) return fail(EFAULT, "events is NULL");
    if (count < 0) return fail(EINVAL, "count is negative");
    return wait(*p, events, count, timeout);
}

int zmq_poller_fd(void* handle, zmq_fd_t* fd)
{
    socket::poller* p = as_poller(handle);
    if (!p) return -1;
    try {
        const auto made = p->descriptor();
        if (!made) {
            return explained(fail(made.error()),
                             {{EINVAL, "the poller has no shared or thread-safe socket; others have ZMQ_FD "
                                       "and ZLINK_FD"}});
        }
        if (!fd) return fail(EFAULT, "fd is NULL");
        *fd = *made;
        return 0;
    } catch (const std::exception&) {
        return fail(ENOMEM);
    }
}
