// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Reuses its vectors from message to message.
#include "support/frame_list.hpp"

#include "support/failure.hpp"
#include "support/frame_sending.hpp"

#include <cerrno>

#include <fmt/format.h>

namespace zlink::tool {

frame_list::~frame_list()
{
    clear();
}

void frame_list::clear() noexcept
{
    for (auto& frame : frames_) {
        zmq_msg_close(&frame);
    }
    frames_.clear();
    views_.clear();
}

bool frame_list::receive(void* socket, int flags)
{
    clear();
    for (bool more = true; more;) {
        zmq_msg_t frame;
        zmq_msg_init(&frame);
        if (zmq_msg_recv(&frame, socket, flags) < 0) {
            const int error = zmq_errno();
            zmq_msg_close(&frame);
            if ((error == EAGAIN || error == EINTR) && frames_.empty()) {
                return false;
            }
            if (error == EINTR) {
                continue;  // the rest of a message that began is at hand
            }
            throw failure(fmt::format("receiving failed: {}", zmq_strerror(error)));
        }
        more = zmq_msg_more(&frame) != 0;
        frames_.push_back(frame);  // a zmq_msg_t may be moved bit by bit
    }
    for (auto& frame : frames_) {
        views_.emplace_back(static_cast<const char*>(zmq_msg_data(&frame)), zmq_msg_size(&frame));
    }
    return true;
}

void frame_list::send(void* socket)
{
    if (offer(socket, 0) != sending::done) {
        throw failure(fmt::format("sending a message on failed: {}", zmq_strerror(zmq_errno())));
    }
}

sending frame_list::offer(void* socket, int flags)
{
    const auto result = offer_frames(frames_.size(), "sending a message on", [&](std::size_t at, int more) {
        return zmq_msg_send(&frames_[at], socket, flags | more);
    });
    if (result == sending::done) {
        clear();
    }
    return result;
}

}  // namespace zlink::tool
