// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What ws obeys besides the options of tcp.
#pragma once

#include <string>
#include <vector>

namespace zlink::transport::ws {

struct ws_options {
    std::vector<std::string> origins;  ///< web pages of these alone are let in; empty: of all
};

}  // namespace zlink::transport::ws
