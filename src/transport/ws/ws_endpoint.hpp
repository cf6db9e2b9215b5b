// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The grammar of ws endpoints: what a tcp endpoint has, and a path: "ws://host:port/path", "ws://*:port".
#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>

namespace zlink::transport::ws {

struct ws_endpoint {
    std::string authority;  ///< for the transport below
    std::string host;       ///< the same without a source, as a request names it
    std::string path;       ///< begins with a slash
};

/// Of what follows "ws://"; the authority is not looked at. Error: invalid_argument, for a path of other octets than a request may
/// have.
[[nodiscard]] result<ws_endpoint> parse_ws(std::string_view text);

}  // namespace zlink::transport::ws
