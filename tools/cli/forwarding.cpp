// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Three steps for each message; the one that is waited for is tried again the next time.
#include "cli/forwarding.hpp"

#include <zmq.h>

namespace zlink::tool {
namespace {

constexpr int batch = 256;  // messages before the other direction gets its turn

}  // namespace

// Messages for a receiver that has gone or is full are lost, as in any proxy: one slow peer must not stop the others.
forwarding::forwarding(socket& from, socket& to, message_sender* capture)
    : from_(from),
      capture_(capture),
      sender_(to, to.get(ZMQ_TYPE), true)
{}

bool forwarding::run()
{
    bool moved = false;
    for (int count = 0; count < batch; ++count) {
        const waits_for before = stage_;
        const bool passed = receive() && copy() && pass_on();
        moved = moved || passed || stage_ != before;
        if (!passed) {
            break;
        }
    }
    return moved;
}

bool forwarding::receive()
{
    if (stage_ == waits_for::arrival && frames_.receive(from_.handle(), ZMQ_DONTWAIT)) {
        stage_ = capture_ != nullptr ? waits_for::capture : waits_for::target;
    }
    return stage_ != waits_for::arrival;
}

bool forwarding::copy()
{
    if (stage_ == waits_for::capture) {
        const auto views = frames_.views();
        if (capture_->send(message(views.begin(), views.end())) != message_sender::result::blocked) {
            stage_ = waits_for::target;
        }
    }
    return stage_ == waits_for::target;
}

bool forwarding::pass_on()
{
    std::uint64_t size = 0;
    for (const auto& frame : frames_.views()) {
        size += frame.size();
    }
    const auto result = sender_.send(frames_);
    if (result == message_sender::result::blocked) {
        return false;
    }
    if (result == message_sender::result::sent) {
        ++messages_;
        bytes_ += size;
    }
    stage_ = waits_for::arrival;
    return true;
}

}  // namespace zlink::tool
