// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The grammar of tcp endpoints: "tcp://host:port", "tcp://source;host:port".
#pragma once

#include "base/result.hpp"
#include "transport/endpoint.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zlink::transport::tcp {

/// One side of a tcp address as written, brackets removed and the zone split off. The host may be a literal address,
/// "*", an interface name (local side) or a DNS name (peer side). Port 0 stands for "any" (written `*` or `0`).
struct host_port {
    std::string host;
    std::string zone;  ///< "eth0" in "[fe80::1%eth0]:5555"; empty when absent
    std::uint16_t port = 0;

    bool operator==(const host_port&) const = default;
};

struct tcp_endpoint {
    host_port host;                   ///< the interface to bind to, or the peer to connect to
    std::optional<host_port> source;  ///< the local address of a connection: "source;destination"

    bool operator==(const tcp_endpoint&) const = default;
};

/// Of the part after "tcp://". Error: invalid_argument.
[[nodiscard]] result<tcp_endpoint> parse_bind(std::string_view address);
[[nodiscard]] result<tcp_endpoint> parse_connect(std::string_view address);

}  // namespace zlink::transport::tcp
