// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The source of the TLS library: a module beside libzmq.so (module_loader.cpp), or it is linked in
// (linked_provider.cpp).
#pragma once

#include "base/result.hpp"
#include "transport/tls/tls_machine.hpp"

namespace zlink::transport::tls {

/// Returns the same each time, once there is one. Error: protocol_not_supported; last_failure() has the reason. Any
/// thread.
[[nodiscard]] result<const provider*> find_provider();

}  // namespace zlink::transport::tls
