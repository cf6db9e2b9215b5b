// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The socket options that transports need to open, bind and tune file descriptors. Several transports obey the common
// ones; a transport that obeys more has a part of its own.
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
    /// of a server: the name of the option by which the engine asks about the result of stream::client_certificate();
    /// null: it does not
    const char* zap_about_certificate = nullptr;
    std::vector<std::string> protocols;  ///< the protocols that a stream that negotiates may agree on, the best first
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
