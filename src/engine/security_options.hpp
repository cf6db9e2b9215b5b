// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a socket is told of security, for those who only hand it on.
#pragma once

#include "zmtp/mechanism/table.hpp"
#include "zmtp/security.hpp"

#include <string>
#include <vector>

namespace zlink::engine {

using zmtp::mechanism_kind;
using zmtp::security_settings;

/// What a stream that negotiates may agree on with a peer under that mechanism, the best first. May throw
/// std::bad_alloc.
[[nodiscard]] std::vector<std::string> negotiated_protocols(const security_settings& security);

}  // namespace zlink::engine
