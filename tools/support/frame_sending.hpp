// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A message sent frame by frame, whatever holds the frames.
#pragma once

#include "support/failure.hpp"
#include "support/socket.hpp"

#include <cerrno>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>
#include <zmq.h>

namespace zlink::tool {

// send(at, more) sends frame `at` with the flag `more`, and leaves an errno where it returns less than 0. Once the
// first frame has gone the others follow, whatever signal comes between. Throws a failure that begins with `action`.
template <class Send>
sending offer_frames(std::size_t count, std::string_view action, Send send)
{
    for (std::size_t at = 0; at < count;) {
        if (send(at, at + 1 < count ? ZMQ_SNDMORE : 0) >= 0) {
            ++at;
            continue;
        }
        const int error = zmq_errno();
        if (error == EHOSTUNREACH) {
            return sending::unreachable;
        }
        if (error != EAGAIN && error != EINTR) {
            throw failure(fmt::format("{} failed: {}", action, zmq_strerror(error)));
        }
        if (at == 0) {
            return sending::would_block;
        }
    }
    return sending::done;
}

}  // namespace zlink::tool
