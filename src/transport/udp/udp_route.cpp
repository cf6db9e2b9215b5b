// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/udp/udp_route.hpp"

#include "runtime/look_up.hpp"

#include <net/if.h>

namespace zlink::transport::udp {

namespace {

using ip::ip_address;

// IPv4 addresses have a socket of IPv4, so that groups and senders have their own form.
udp_route to(const ip_address& target)
{
    const ip_address plain = target.to_unmapped();
    return {plain, ip_address::any(plain.family() == AF_INET6, plain.port())};
}

result<ip_address> address_of(const std::string& interface, const ip_address& group)
{
    const auto found = ip::resolve_source({interface, {}, group.port()}, group);
    if (found) return found;
    const bool other_family = ip_address::from_literal(interface, 0).has_value();
    if (found.error() != errc::address_not_available) return found.error();
    return other_family ? errc::invalid_argument : errc::no_device;
}

// An interface belongs to a group. One of IPv6 is joined by its number, and so named by its name.
result<udp_route> with_interface(udp_route route, const std::string& interface)
{
    if (interface.empty()) return route;
    if (!route.is_multicast()) return errc::invalid_argument;
    const auto address = address_of(interface, route.target);
    if (!address) return address.error();
    if (address->is_multicast()) return errc::invalid_argument;
    route.interface = *address;
    if (route.target.family() == AF_INET || interface == "*") return route;
    route.interface_index = ::if_nametoindex(interface.c_str());
    return route.interface_index == 0 ? result<udp_route>{errc::no_device} : result<udp_route>{route};
}

result<ip_address> first_address(const ip::host_port& host, bool ipv6)
{
    const auto literal = ip::resolve_peer(host, ipv6);
    if (!literal) return literal.error();
    if (*literal) return **literal;
    const auto found = runtime::look_up(host.host);
    if (!found) return found.error() == errc::out_of_memory ? errc::out_of_memory : errc::invalid_argument;
    const auto candidates = ip::connect_candidates(host, ip::addresses_of(*found), ipv6);
    return candidates.empty() ? result<ip_address>{errc::invalid_argument} : result<ip_address>{candidates.front()};
}

}  // namespace

result<udp_route> find_local(const udp_endpoint& where, bool ipv6)
{
    const auto target = ip::resolve_local(where.target, ipv6);
    if (!target) return target.error();
    return with_interface(to(*target), where.interface);
}

result<udp_route> find_peer(const udp_endpoint& where, bool ipv6)
{
    const auto target = first_address(where.target, ipv6);
    if (!target) return target.error();
    return with_interface(to(*target), where.interface);
}

std::string text_of(const udp_route& route, const std::string& interface)
{
    return "udp://" + (interface.empty() ? std::string{} : interface + ";") + route.target.text();
}

}  // namespace zlink::transport::udp
