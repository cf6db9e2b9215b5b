// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Connecting by way of a SOCKS5 proxy (ZMQ_SOCKS_PROXY): the connection is the proxy's, and its stream that of any tcp connection
// once the proxy has agreed.
#pragma once

#include "transport/tcp/tcp_endpoint.hpp"
#include "transport/transport.hpp"

#include <memory>

namespace zlink::transport::tcp {

/// What can be said at once of a proxy, and of a peer that it is to connect to. Error: invalid_argument, told in words.
[[nodiscard]] result<void> check_socks(const tcp_endpoint& peer, const stream_options& options);

/// An attempt whose streams finish connecting when the proxy has. Both live longer. The peer's name is the proxy's to look up. A
/// source address, the proxy's ("source;host:port") or else the peer's, is that of the connection to the proxy.
[[nodiscard]] result<std::unique_ptr<attempt>> connect_by_socks(const tcp_endpoint& peer,
                                                                const stream_options& options);

}  // namespace zlink::transport::tcp
