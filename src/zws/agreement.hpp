// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The terms that the upgrade of a connection to WebSocket has settled, in place of a ZMTP greeting (RFC 45).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace zlink::zws {

/// The sub-protocol without a mechanism; with one its name follows, after a slash.
inline constexpr std::string_view bare_protocol = "ZWS2.0";

struct agreement {
    bool client = false;     ///< this side masks, the other does not
    bool mechanism = false;  ///< a handshake of the mechanism follows; otherwise both sides send their routing id
};

/// The sub-protocols of a socket, the best first. `checks_peers`: a peer that cannot identify itself is not admitted.
[[nodiscard]] inline std::vector<std::string> protocols_of(std::string_view mechanism, bool checks_peers)
{
    std::vector<std::string> list{std::string(bare_protocol) + '/' + std::string(mechanism)};
    if (!checks_peers) list.emplace_back(bare_protocol);
    return list;
}

}  // namespace zlink::zws
