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
    socket::socket* front = as_socket(frontend);
    socket::socket* back = as_socket(backend);
    if (!front || !back || (capture && !as_socket(capture)) || (control && !as_socket(control))) return -1;
    socket::proxy between(*front, *back, static_cast<socket::socket*>(capture), static_cast<socket::socket*>(control));
    return answer(between.run());
}

int zmq_device(int, void* frontend, void* backend)
{
    return zmq_proxy(frontend, backend, nullptr);
}
