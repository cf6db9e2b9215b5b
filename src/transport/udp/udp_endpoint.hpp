// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The grammar of udp endpoints: "udp://address:port", "udp://*:port", "udp://interface;group:port".
#pragma once

#include "base/result.hpp"
#include "transport/endpoint.hpp"
#include "transport/ip/host_port.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace zlink::transport::udp {

struct udp_endpoint {
    ip::host_port target;   ///< where to send to, or where to receive; may be a multicast group
    std::string interface;  ///< of a group: an interface's name, one of its addresses, or "*"; empty if not given

    bool operator==(const udp_endpoint&) const = default;
};

/// Of the part after "udp://". Where datagrams are received, "*" may stand for the address and the port. Error:
/// invalid_argument.
[[nodiscard]] result<udp_endpoint> parse(std::string_view text, ip::side where);

class udp_location final : public address {
public:
    explicit udp_location(udp_endpoint parsed) : parts(std::move(parsed)) {}
    const udp_endpoint parts;
};

/// The parts of an endpoint of this transport.
[[nodiscard]] inline const udp_endpoint& parts_of(const address& where) noexcept
{
    return static_cast<const udp_location&>(where).parts;
}

}  // namespace zlink::transport::udp
