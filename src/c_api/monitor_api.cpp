// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zmq_socket_monitor() and its like: what a socket tells of its connections, in each of the forms.
#include "c_api/handles.hpp"

#include <zlink.h>

#include <cstdint>

using namespace zlink;
using namespace zlink::c_api;

namespace {

using form = zlink::socket::monitor::form;

/// Without an endpoint the monitor stops.
int monitor(socket::socket& s, const char* endpoint, std::uint64_t events, form frames, int type) noexcept
{
    if (!endpoint) {
        s.events().stop();
        return 0;
    }
    return explained(
        guarded([&] { return s.events().start(endpoint, events, frames, type); }),
        {{EINVAL, "the endpoint of a monitor is inproc://NAME; its type is ZMQ_PAIR, ZMQ_PUB or ZMQ_PUSH, and "
                  "version 1 has events of 16 bits"},
         {EPROTONOSUPPORT, "monitors report at inproc endpoints alone"},
         {EADDRINUSE, "another socket, or another monitor, is bound to this endpoint"}});
}

}  // namespace

int zmq_socket_monitor(void* handle, const char* endpoint, int events)
{
    return zmq_socket_monitor_versioned(handle, endpoint, uint64_t(unsigned(events)), 1, ZMQ_PAIR);
}

int zmq_socket_monitor_versioned(void* handle, const char* endpoint, uint64_t events, int event_version, int type)
{
    const call_on s(handle);
    if (!s) return -1;
    const cancellation_held_off hold;
    if (endpoint && event_version != 1 && event_version != 2) return fail(EINVAL, "event_version is 1 or 2");
    return monitor(*s, endpoint, events, event_version == 1 ? form::version_1 : form::version_2, type);
}

int zlink_socket_monitor(void* handle, const char* endpoint, uint64_t events, int flags)
{
    const call_on s(handle);
    if (!s) return -1;
    const cancellation_held_off hold;
    if (flags != 0) return fail(EINVAL, "flags must be 0");
    return monitor(*s, endpoint, events, form::explained, ZMQ_PAIR);
}

int zmq_socket_monitor_pipes_stats(void* handle)
{
    const call_on s(handle);
    if (!s) return -1;
    const cancellation_held_off hold;
    return explained(answer(s->report_pipes()),
                     {{EINVAL, "the socket has no monitor of version 2 that asks for ZMQ_EVENT_PIPES_STATS"},
                      {EAGAIN, "the socket has no peer"}});
}
