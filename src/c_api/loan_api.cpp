// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Messages whose bodies lie where the peers of a socket can read them.
#include "c_api/failing.hpp"
#include "c_api/handles.hpp"
#include "message/frame.hpp"
#include "socket/live_sockets.hpp"

#include <zlink.h>
#include <zmq.h>

#include <new>

using namespace zlink;
using namespace zlink::c_api;

int zlink_msg_init_loan(zmq_msg_t* msg, void* handle, size_t size)
{
    if (!msg) return fail(EFAULT);
    const auto account = socket::live_sockets::find(handle);
    if (!account) return fail(ENOTSOCK);
    message::buffer* const lent = account->lend(size);
    if (!lent) return zmq_msg_init_size(msg, size);
    (new (msg) message::frame)->init_buffer(lent, lent->data(), size);
    return 0;
}
