// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Messages of several frames from and to arrays of iovec. In a file of its own: if a function next to zmq_send() called
// it, GCC would split that one, and each call of a program would take a jump more.
#include "base/many_octets.hpp"
#include "c_api/handles.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <cstdlib>

using namespace zlink;
using namespace zlink::c_api;

int zmq_sendiov(void* handle, iovec* buffers, size_t count, int flags)
{
    if (const call_on s(handle); !s) return -1;
    if (!buffers || count == 0) return fail(EINVAL);
    // As ever in libzmq: ZMQ_SNDMORE joins the buffers to one message, and the last one ends it.
    int sent = 0;
    for (size_t i = 0; i < count && sent >= 0; ++i) {
        const int more = i + 1 < count ? flags : flags & ~ZMQ_SNDMORE;
        sent = zmq_send(handle, buffers[i].iov_base, buffers[i].iov_len, more);
    }
    return sent;
}

int zmq_recviov(void* handle, iovec* buffers, size_t* count, int flags)
{
    message::owned_frame f;  // its body is freed after the hold
    call_on s(handle);
    if (!s) return -1;
    if (!buffers || !count || *count == 0) return fail(EINVAL);
    const size_t room = *count;
    *count = 0;
    bool more = true;
    while (more && *count < room) {
        if (receive_frame(s, f, flags) < 0) return -1;
        void* copy = std::malloc(std::max<size_t>(f.size(), 1));
        if (!copy) return fail(ENOMEM);
        copy_many_octets(copy, f.data(), f.size());
        buffers[(*count)++] = {copy, f.size()};
        more = f.more();
    }
    return as_int(*count);
}
