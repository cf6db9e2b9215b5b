// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What the tool sets on its sockets unless --opt says otherwise, so that endpoints work as typed and mistakes are seen.
#pragma once

#include "support/socket.hpp"

#include <string>
#include <vector>

namespace zlink::tool {

// Before the settings of --opt. `addresses`: endpoints, and the SOCKS proxy, as typed.
void set_defaults(socket& target, const std::vector<std::vector<std::string>>& addresses);

}  // namespace zlink::tool
