// Reuses its vectors from message to message.
#include "demo/frame_list.hpp"

#include "support/failure.hpp"

#include <cerrno>

#include <fmt/format.h>

namespace zlink::tool::demo {

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
            if (error == EAGAIN && frames_.empty()) {
                return false;
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
    views_.clear();
    for (std::size_t at = 0; at < frames_.size(); ++at) {
        if (zmq_msg_send(&frames_[at], socket, at + 1 < frames_.size() ? ZMQ_SNDMORE : 0) < 0) {
            throw failure(fmt::format("echoing failed: {}", zmq_strerror(zmq_errno())));
        }
    }
    clear();
}

}  // namespace zlink::tool::demo
