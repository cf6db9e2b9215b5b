// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The part "host:port" of the endpoints of transports over IP.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace zlink::transport::ip {

/// One side of an address as written, brackets removed and the zone split off. The host may be a literal address,
/// "*", an interface name (local side) or a DNS name (peer side). Port 0 stands for "any" (written `*` or `0`).
struct host_port {
    std::string host;
    std::string zone;  ///< "eth0" in "[fe80::1%eth0]:5555"; empty when absent
    std::uint16_t port = 0;

    bool operator==(const host_port&) const = default;
};

enum class side : std::uint8_t { local, peer };

/// host[%zone]:port. The last colon counts, so that IPv6 addresses may also be written without brackets. The port of
/// the local side may be `*`. Error: invalid_argument.
[[nodiscard]] result<host_port> parse_host_port(std::string_view text, side where);

}  // namespace zlink::transport::ip
