// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Security that was asked for and that no endpoint uses is a mistake, mostly a typo in the endpoint. It is refused, so
// that nothing goes out in clear by it.
#pragma once

#include "cli/security_options.hpp"

#include "support/option_table.hpp"

#include <span>
#include <string>
#include <vector>

namespace zlink::tool {

// Throws a usage_failure that names the option, the endpoint that doesn't use it and the cure.
void check_security_is_used(const security_options& typed, const endpoint_lists& endpoints);

// The same for --opt. STREAM and ROUTER_RAW have no handshake (`raw`).
void check_settings_are_used(std::span<const option_setting> settings, const endpoint_lists& endpoints, bool raw);

// The option of the handshake's security (CURVE, PLAIN, --auth) that was given; empty: none.
std::string handshake_option(const security_options& typed);

}  // namespace zlink::tool
