// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/ws/ws_endpoint.hpp"

#include <algorithm>

namespace zlink::transport::ws {

result<ws_endpoint> parse_ws(std::string_view text)
{
    const std::size_t slash = text.find('/');
    const std::string_view authority = text.substr(0, slash);
    const std::string_view path = slash == std::string_view::npos ? "/" : text.substr(slash);
    // A fragment concerns only the client.
    const auto may_stand = [](char c) { return c > ' ' && c < 0x7f && c != '#'; };
    if (authority.empty() || !std::ranges::all_of(path, may_stand)) return errc::invalid_argument;
    const std::size_t semicolon = authority.rfind(';');
    const auto host = semicolon == std::string_view::npos ? authority : authority.substr(semicolon + 1);
    return ws_endpoint{std::string(authority), std::string(host), std::string(path)};
}

}  // namespace zlink::transport::ws
