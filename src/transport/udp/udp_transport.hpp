// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// udp://address:port as a transport.
#pragma once

#include "transport/transport.hpp"

namespace zlink::transport::udp {

[[nodiscard]] const datagram_transport& the_transport() noexcept;

}  // namespace zlink::transport::udp
