// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a traffic_loop says about itself.
#pragma once

#include "cli/traffic_options.hpp"

#include <cstdint>
#include <string>

namespace zlink::tool {

// All endpoints of the command, for a sentence.
std::string endpoints_of(const traffic_options& options);

// Why --timeout ended it, and what to do. `awaits`: it was the peer's turn to send.
std::string explain_time_out(const traffic_options& options, std::uint64_t received, bool awaits);

}  // namespace zlink::tool
