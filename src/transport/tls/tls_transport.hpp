// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// tls://host:port as a transport: TLS over tcp, and ZMTP in it (docs/rfc/zmtp-tls.md).
#pragma once

#include "transport/transport.hpp"

namespace zlink::transport::tls {

[[nodiscard]] const stream_transport& the_transport() noexcept;

/// The same for wss. Its upgrade is HTTP, so ALPN names http. Not in the registry.
[[nodiscard]] const stream_transport& the_transport_of_http() noexcept;

}  // namespace zlink::transport::tls
