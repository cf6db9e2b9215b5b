// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zmq_proxy(), zmq_proxy_steerable() and zmq_device().
#include "socket/proxy.hpp"

#include "c_api/handles.hpp"

using namespace zlink;
using namespace zlink::c_api;

int zmq_proxy(void* frontend, void* backend, void* capture)
{
    return zmq_proxy_steerable(frontend, backend, capture, nullptr);
}

int zmq_proxy_steerable(void* frontend, void* backend, void* capture, void* control)
{
    if (!frontend || !backend) return fail(EFAULT);
    for (void* each : {frontend, backend, capture, control}) {
        if (each && !call_on(each)) return -1;
    }
    const auto socket_of = [](void* handle) { return static_cast<socket::socket*>(handle); };
    socket::proxy between(*socket_of(frontend), *socket_of(backend), socket_of(capture), socket_of(control));
    return answer(between.run());
}

int zmq_device(int, void* frontend, void* backend)
{
    return zmq_proxy(frontend, backend, nullptr);
}
