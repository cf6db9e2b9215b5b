// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The grammar of tcp endpoints: "tcp://host:port", "tcp://source;host:port".
#pragma once

#include "base/result.hpp"
#include "transport/endpoint.hpp"
#include "transport/ip/host_port.hpp"

#include <optional>
#include <string_view>

namespace zlink::transport::tcp {

using ip::host_port;

struct tcp_endpoint {
    host_port host;                   ///< the interface to bind to, or the peer to connect to
    std::optional<host_port> source;  ///< the local address of a connection: "source;destination"

    bool operator==(const tcp_endpoint&) const = default;
};

/// Of the part after "tcp://". Error: invalid_argument.
[[nodiscard]] result<tcp_endpoint> parse_bind(std::string_view address);
[[nodiscard]] result<tcp_endpoint> parse_connect(std::string_view address);

}  // namespace zlink::transport::tcp
