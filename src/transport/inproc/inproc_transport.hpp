// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// inproc://name: sockets of one context, joined by pipes. There is nothing to read or write here; the context keeps the
// names (socket/name_registry.hpp).
#pragma once

#include "transport/transport.hpp"

namespace zlink::transport::inproc {

[[nodiscard]] const name_transport& the_transport() noexcept;

}  // namespace zlink::transport::inproc
