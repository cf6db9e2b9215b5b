// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Connecting by way of a SOCKS5 proxy (ZMQ_SOCKS_PROXY): the connection leads to the proxy. Once the proxy has agreed,
// its stream is like that of any tcp connection.
#pragma once

#include "transport/tcp/tcp_endpoint.hpp"
#include "transport/transport.hpp"

#include <memory>

namespace zlink::transport::tcp {

/// Checks of a proxy, and of a peer that it has to connect to, that need no network. Error: invalid_argument, told in
/// words.
[[nodiscard]] result<void> check_socks(const tcp_endpoint& peer, const stream_options& options);

/// An attempt whose streams finish connecting when the proxy has. Both arguments live longer. The proxy looks up the
/// peer's name. A source address is that of the connection to the proxy: the proxy's own ("source;host:port"), or else
/// the peer's.
[[nodiscard]] result<std::unique_ptr<attempt>> connect_by_socks(const tcp_endpoint& peer,
                                                                const stream_options& options);

}  // namespace zlink::transport::tcp
