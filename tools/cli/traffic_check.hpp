// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The options of a sending or receiving command as typed, and the check that makes traffic_options of them.
#pragma once

#include "cli/traffic_options.hpp"
#include "cli/traffic_texts.hpp"

#include <string>
#include <vector>

namespace zlink::tool {

// What needs no more than storing is stored in `plain` right away.
struct typed_options {
    traffic_options plain;
    std::string separator;
    std::string chunk;
    std::string timeout;
    std::string delay;
    std::string linger;
    std::vector<std::string> settings;
};

// Throws a usage_failure for what is wrong or contradicts itself.
traffic_options checked(const typed_options& typed, const command_text& text, std::vector<std::string> messages);

}  // namespace zlink::tool
