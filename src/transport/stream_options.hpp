// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What transports need to know of a socket's options to open, bind and tune file descriptors: what several of them
// obey, and a part for each that obeys more.
#pragma once

#include "transport/transport_options.hpp"

#include <string>
#include <vector>

namespace zlink::transport {

/// Values as documented for zmq_setsockopt; -1 means "leave the system's default".
struct stream_options {
    int backlog = 100;
    int sndbuf = -1;
    int rcvbuf = -1;
    int use_fd = -1;
    bool ipv6 = false;
    bool zap_about_certificate = false;  ///< of a server: the engine asks about what stream::client_certificate() says
    std::vector<std::string> protocols;  ///< what a stream that negotiates may agree on, the best first
    transport_options own;               ///< of single transports

    /// Shorthands, see transport_options.
    template <class Options>
    [[nodiscard]] const Options& of() const noexcept
    {
        return own.of<Options>();
    }
    template <class Options>
    [[nodiscard]] Options& change()
    {
        return own.change<Options>();
    }
};

}  // namespace zlink::transport
