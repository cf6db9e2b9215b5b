// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zmq_poll() and zmq_ppoll().
#include "socket/poll.hpp"

#include "c_api/handles.hpp"

using namespace zlink;
using namespace zlink::c_api;

int zmq_poll(zmq_pollitem_t* items, int count, long timeout)
{
    return zmq_ppoll(items, count, timeout, nullptr);
}

int zmq_ppoll(zmq_pollitem_t* items, int count, long timeout, const sigset_t* signal_mask)
{
    if (count < 0) return fail(EINVAL);
    if (count > 0 && !items) return fail(EFAULT);
    const auto ready = socket::poll({items, std::size_t(count)}, timeout, signal_mask);
    return ready ? *ready : fail(ready.error());
}
