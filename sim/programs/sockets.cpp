// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "sim/programs/sockets.hpp"

#include <utility>

namespace zlink::sim {

void context_handle::end(nanos within)
{
    const nanos began = world::get().now();
    must([this] { return zmq_ctx_term(context_); }, "zmq_ctx_term");
    const nanos took = world::get().now() - began;
    require(took <= within, "zmq_ctx_term took " + std::to_string(took / millisecond) + " ms");
}

socket_handle::socket_handle(const context_handle& in, int type)
{
    must(
        [&] {
            socket_ = zmq_socket(in.get(), type);
            return socket_ ? 0 : -1;
        },
        "zmq_socket");
}

void socket_handle::close()
{
    if (void* const s = std::exchange(socket_, nullptr)) require(zmq_close(s) == 0, "zmq_close fails");
}

void socket_handle::set(int option, int value)
{
    must([&] { return zmq_setsockopt(socket_, option, &value, sizeof value); }, "zmq_setsockopt");
}

std::string endpoint(random& from, int number)
{
    switch (from.below(3)) {
    case 0: return "tcp://127.0.0.1:" + std::to_string(20000 + number);
    case 1: return "ipc:///simulated/" + std::to_string(number);
    default: return "inproc://" + std::to_string(number);
    }
}

}  // namespace zlink::sim
