// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Many messages in one call. In a file of its own for the reason that iovec_api.cpp has.
#include "base/at_end.hpp"
#include "base/last_error.hpp"
#include "c_api/handles.hpp"
#include "socket/message_batch.hpp"

#include <zlink.h>

#include <algorithm>
#include <climits>
#include <exception>
#include <string>

using namespace zlink;
using namespace zlink::c_api;

namespace {

int fail_for_flags(int flags, const char* if_more) noexcept
{
    tell_failure(flags & ZMQ_SNDMORE ? if_more : "flags other than ZMQ_DONTWAIT");
    return fail(EINVAL);
}

int fail_for_room(std::size_t needed, std::size_t room) noexcept
{
    try {
        tell_failure("the next message has " + std::to_string(needed) + " parts, and there is room for " +
                     std::to_string(room) + "; it stays");
    } catch (const std::exception&) {
        forget_words();
    }
    return fail(EMSGSIZE);
}

int send_many_held(void* handle, zmq_msg_t* messages, std::size_t count, int flags, std::size_t& sent)
{
    call_on s(handle);
    if (!s) return -1;
    if (!messages && count != 0) return fail(EFAULT);
    if (flags & ~ZMQ_DONTWAIT)
        return fail_for_flags(flags, "ZMQ_SNDMORE: each element is a message; zlink_send_parts() sends parts");
    if (!all_initialised(messages, count)) return fail(EFAULT);
    if (count == 0) return 0;
    const std::size_t most = std::min(count, std::size_t(INT_MAX));
    const errc e = socket::send_batch(s, {&inside(messages), most}, flags & ZMQ_DONTWAIT, sent);
    return sent != 0 ? as_int(sent) : answer(e);
}

}  // namespace

int zlink_send_many(void* handle, zmq_msg_t* messages, size_t count, int flags)
{
    size_t sent = 0;
    // After the hold, and also if the thread is cancelled in a wait: what went is not the caller's any more.
    const at_end empty([&] {
        for (size_t i = 0; i < sent; ++i) inside(messages + i).reset();
    });
    return send_many_held(handle, messages, count, flags, sent);
}

int zlink_recv_many(void* handle, zmq_msg_t* parts, size_t* count, int flags)
{
    socket::spent_frames spent;
    call_on s(handle);
    if (!s) return -1;
    if (!count || (!parts && *count != 0)) return fail(EFAULT);
    if (flags & ~ZMQ_DONTWAIT) return fail_for_flags(flags, "ZMQ_SNDMORE is for sending");
    if (!all_initialised(parts, *count)) return fail(EFAULT);
    const size_t room = *count;
    socket::received_batch got;
    const errc e = socket::receive_batch(s, {parts ? &inside(parts) : nullptr, room}, flags & ZMQ_DONTWAIT, spent, got);
    if (e == errc::none || e == errc::message_too_long) *count = got.parts;
    if (e == errc::message_too_long) return fail_for_room(got.parts, room);
    return e == errc::none ? as_int(got.messages) : fail(e);
}
