// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "sim/programs/sockets.hpp"

#include <zlink.h>

#include <cstring>
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

void socket_handle::set(int option, const char* text)
{
    must([&] { return zmq_setsockopt(socket_, option, text, std::strlen(text)); }, "zmq_setsockopt");
}

std::string endpoint(random& from, int number)
{
    const std::string port = "127.0.0.1:" + std::to_string(20000 + number);
    switch (from.below(10)) {
    case 0:
    case 1:
    case 2: return "tcp://" + port;
    case 3:
    case 4: return "ipc:///simulated/" + std::to_string(number);
#ifdef ZLINK_SIM_CERTIFICATE
    case 5: return "tls://" + port;
    case 6: return "wss://" + port + "/path";
#endif
    case 7: return "ws://" + port + "/path";
    default: return "inproc://" + std::to_string(number);
    }
}

void prepare_tls([[maybe_unused]] socket_handle& s)
{
#ifdef ZLINK_SIM_CERTIFICATE
    s.set(ZMQ_TLS_CERT_FILE, ZLINK_SIM_CERTIFICATE);
    s.set(ZMQ_TLS_VERIFY, 0);
#endif
}

}  // namespace zlink::sim
