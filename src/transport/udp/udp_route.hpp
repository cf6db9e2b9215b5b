// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The addresses that an endpoint of udp stands for on this machine.
#pragma once

#include "base/result.hpp"
#include "transport/ip/ip_address.hpp"
#include "transport/udp/udp_endpoint.hpp"

#include <string>

namespace zlink::transport::udp {

struct udp_route {
    ip::ip_address target;         ///< a peer, a group, or the local address to receive at
    ip::ip_address interface;      ///< of a group: the interface's address; any: the system chooses
    unsigned interface_index = 0;  ///< the same for IPv6, whose groups are joined by it

    [[nodiscard]] bool is_multicast() const noexcept { return target.is_multicast(); }
};

/// The route to receive by. The host is an address, an interface or "*", never a name. Errors:
/// - no_device: an interface that does not exist, or has no address of the group's family;
/// - invalid_argument: an interface with an address that is not a group, a group as an interface, two families.
[[nodiscard]] result<udp_route> find_local(const udp_endpoint& where, bool ipv6);

/// The route to send by. If the host is a name, DNS is asked, and this call waits. Errors: those of find_local();
/// invalid_argument: an unknown name.
[[nodiscard]] result<udp_route> find_peer(const udp_endpoint& where, bool ipv6);

/// The endpoint in which addresses are numbers: "udp://0.0.0.0:5555", "udp://eth0;239.0.0.1:5555".
[[nodiscard]] std::string text_of(const udp_route& route, const std::string& interface);

}  // namespace zlink::transport::udp
