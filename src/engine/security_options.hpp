// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The security settings of a socket, for the parts that only hand them on.
#pragma once

#include "zmtp/mechanism/table.hpp"
#include "zmtp/security.hpp"

#include <string>
#include <vector>

namespace zlink::engine {

using zmtp::mechanism_kind;
using zmtp::security_settings;

/// The protocols that a stream that negotiates may agree on with a peer under that mechanism, the best first. May throw
/// std::bad_alloc.
[[nodiscard]] std::vector<std::string> negotiated_protocols(const security_settings& security);

}  // namespace zlink::engine
