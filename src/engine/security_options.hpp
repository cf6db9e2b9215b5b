// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a socket is told of security, for those who only hand it on.
#pragma once

#include "zmtp/mechanism/table.hpp"
#include "zmtp/security.hpp"
#include "zws/agreement.hpp"

#include <string>
#include <vector>

namespace zlink::engine {

using zmtp::mechanism_kind;
using zmtp::security_settings;

/// The sub-protocols of ZWS that go with the mechanism, the best first. May throw std::bad_alloc.
[[nodiscard]] inline std::vector<std::string> zws_protocols(const security_settings& security)
{
    const zmtp::mechanism_row* const row = zmtp::find_mechanism(security.mechanism);
    return row ? zws::protocols_of(row->name, security.checks_peers()) : std::vector<std::string>{};
}

}  // namespace zlink::engine
