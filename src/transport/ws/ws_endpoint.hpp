// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The grammar of ws endpoints: that of a tcp endpoint, and a path: "ws://host:port/path", "ws://*:port".
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

/// Of the part after "ws://"; the authority is not looked at. Error: invalid_argument, if the path has an octet that a
/// request may not have.
[[nodiscard]] result<ws_endpoint> parse_ws(std::string_view text);

}  // namespace zlink::transport::ws
