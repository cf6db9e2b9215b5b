// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ws://host:port/path as a transport, over the streams of tcp.
#pragma once

#include "transport/transport.hpp"

namespace zlink::transport::ws {

[[nodiscard]] const stream_transport& the_transport() noexcept;
/// wss://, with ZLINK_TLS.
[[nodiscard]] const stream_transport& the_transport_over_tls() noexcept;

}  // namespace zlink::transport::ws
