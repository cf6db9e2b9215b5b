// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The options that ws obeys in addition to those of tcp.
#pragma once

#include "transport/option_rows.hpp"

#include <string>
#include <vector>

namespace zlink::transport::ws {

struct ws_options {
    std::vector<std::string> origins;  ///< only web pages of these origins are admitted; empty: of all
};

/// Rows for these options.
extern const option_rows own_options;

}  // namespace zlink::transport::ws
