// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What transports need to know of a socket's options to open, bind and tune file descriptors: what all of them obey, and a part
// for each that obeys more.
#pragma once

#include "transport/ipc/ipc_options.hpp"
#include "transport/tcp/tcp_options.hpp"
#include "transport/tls/tls_options.hpp"
#include "transport/ws/ws_options.hpp"

namespace zlink::transport {

/// Values as documented for zmq_setsockopt; -1 means "leave the system's default".
struct stream_options {
    int backlog = 100;
    int sndbuf = -1;
    int rcvbuf = -1;
    int use_fd = -1;
    tcp::tcp_options tcp;
    ipc::ipc_options ipc;
    tls::tls_options tls;
    ws::ws_options ws;
};

}  // namespace zlink::transport
