// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/ip/ip_address.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>

namespace zlink::transport::ip {

namespace {

/// An interface by name, or its number.
result<std::uint32_t> zone_index(const std::string& zone)
{
    std::uint32_t index = 0;
    const char* end = zone.data() + zone.size();
    const auto [rest, error] = std::from_chars(zone.data(), end, index);
    if (error != std::errc{} || rest != end) {
        index = ::if_nametoindex(zone.c_str());
    }
    if (index == 0) {
        return errc::invalid_argument;
    }
    return index;
}

/// First address of the interface; `families` are tried in order, all of an interface's addresses for each.
result<ip_address> interface_address(const std::string& name, std::span<const int> families)
{
    ifaddrs* raw = nullptr;
    if (::getifaddrs(&raw) != 0) {
        return from_errno(errno);
    }
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> list(raw, &::freeifaddrs);
    bool known = false;
    for (const int family : families) {
        for (const ifaddrs* entry = list.get(); entry != nullptr; entry = entry->ifa_next) {
            if (name != entry->ifa_name) {
                continue;
            }
            known = true;
            if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != family) {
                continue;
            }
            const socklen_t length = family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
            if (const auto found = ip_address::from_sockaddr(entry->ifa_addr, length)) {
                return *found;
            }
        }
    }
    return known ? errc::address_not_available : errc::no_device;
}

/// Adds the parts that every way of resolving has in common.
result<ip_address> with_port_and_zone(ip_address address, const host_port& host)
{
    address.set_port(host.port);
    if (!host.zone.empty()) {
        const result<std::uint32_t> index = zone_index(host.zone);
        if (!index) {
            return index.error();
        }
        address.set_scope_id(*index);
    }
    return address;
}

}  // namespace

std::optional<ip_address> ip_address::from_sockaddr(const sockaddr* address, socklen_t length) noexcept
{
    ip_address made;
    if (length >= sizeof(sockaddr_in) && address->sa_family == AF_INET) {
        std::memcpy(&made.storage_.v4, address, sizeof(sockaddr_in));
        return made;
    }
    if (length >= sizeof(sockaddr_in6) && address->sa_family == AF_INET6) {
        std::memcpy(&made.storage_.v6, address, sizeof(sockaddr_in6));
        return made;
    }
    return std::nullopt;
}

ip_address ip_address::any(bool ipv6, std::uint16_t port) noexcept
{
    ip_address made;  // all zero: in6addr_any and INADDR_ANY
    if (ipv6) {
        made.storage_.v6.sin6_family = AF_INET6;
    } else {
        made.storage_.v4.sin_family = AF_INET;
    }
    made.set_port(port);
    return made;
}

std::optional<ip_address> ip_address::from_literal(const std::string& host, std::uint16_t port) noexcept
{
    in6_addr v6{};
    if (::inet_pton(AF_INET6, host.c_str(), &v6) == 1) {
        ip_address made = any(true, port);
        made.storage_.v6.sin6_addr = v6;
        return made;
    }
    in_addr v4{};
    // inet_aton ignores everything after a blank; a literal has no blank.
    if (host.find_first_not_of("0123456789abcdefABCDEFxX.") == std::string::npos &&
        ::inet_aton(host.c_str(), &v4) == 1) {
        ip_address made = any(false, port);
        made.storage_.v4.sin_addr = v4;
        return made;
    }
    return std::nullopt;
}

socklen_t ip_address::size() const noexcept
{
    return family() == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
}

std::uint16_t ip_address::port() const noexcept
{
    return ntohs(family() == AF_INET6 ? storage_.v6.sin6_port : storage_.v4.sin_port);
}

void ip_address::set_port(std::uint16_t port) noexcept
{
    (family() == AF_INET6 ? storage_.v6.sin6_port : storage_.v4.sin_port) = htons(port);
}

void ip_address::set_scope_id(std::uint32_t id) noexcept
{
    if (family() == AF_INET6) {
        storage_.v6.sin6_scope_id = id;
    }
}

std::uint32_t ip_address::scope_id() const noexcept
{
    return family() == AF_INET6 ? storage_.v6.sin6_scope_id : 0;
}

bool ip_address::is_multicast() const noexcept
{
    if (family() == AF_INET) return IN_MULTICAST(ntohl(storage_.v4.sin_addr.s_addr));
    return IN6_IS_ADDR_MULTICAST(&storage_.v6.sin6_addr);
}

bool ip_address::is_any() const noexcept
{
    return std::ranges::all_of(address_bytes(), [](std::uint8_t octet) { return octet == 0; });
}

bool ip_address::is_loopback() const noexcept
{
    const ip_address plain = to_unmapped();
    if (plain.family() == AF_INET) return plain.address_bytes()[0] == 127;
    return IN6_IS_ADDR_LOOPBACK(&storage_.v6.sin6_addr);
}

bool ip_address::is_v4_mapped() const noexcept
{
    return family() == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&storage_.v6.sin6_addr);
}

ip_address ip_address::to_mapped() const noexcept
{
    if (family() != AF_INET) {
        return *this;
    }
    ip_address mapped = any(true, port());
    std::uint8_t* bytes = mapped.storage_.v6.sin6_addr.s6_addr;
    bytes[10] = bytes[11] = 0xff;
    std::memcpy(bytes + 12, &storage_.v4.sin_addr, 4);
    return mapped;
}

ip_address ip_address::to_unmapped() const noexcept
{
    if (!is_v4_mapped()) {
        return *this;
    }
    ip_address plain = any(false, port());
    std::memcpy(&plain.storage_.v4.sin_addr, storage_.v6.sin6_addr.s6_addr + 12, 4);
    return plain;
}

std::span<const std::uint8_t> ip_address::address_bytes() const noexcept
{
    if (family() == AF_INET6) {
        return {storage_.v6.sin6_addr.s6_addr, 16};
    }
    return {reinterpret_cast<const std::uint8_t*>(&storage_.v4.sin_addr), 4};
}

std::string ip_address::host_text() const
{
    char text[NI_MAXHOST];
    if (::getnameinfo(data(), size(), text, sizeof text, nullptr, 0, NI_NUMERICHOST) != 0) {
        return {};
    }
    return text;
}

std::string ip_address::text() const
{
    const std::string port_text = std::to_string(port());
    return family() == AF_INET6 ? "[" + host_text() + "]:" + port_text : host_text() + ":" + port_text;
}

bool operator==(const ip_address& a, const ip_address& b) noexcept
{
    if (a.family() != b.family() || a.port() != b.port() || !std::ranges::equal(a.address_bytes(), b.address_bytes())) {
        return false;
    }
    return a.family() != AF_INET6 || a.storage_.v6.sin6_scope_id == b.storage_.v6.sin6_scope_id;
}

result<ip_address> resolve_local(const host_port& host, bool ipv6)
{
    if (host.host == "*") {
        return with_port_and_zone(ip_address::any(ipv6, 0), host);
    }
    if (const auto literal = ip_address::from_literal(host.host, 0)) {
        if (literal->family() == AF_INET6 && !ipv6) {
            return errc::no_device;
        }
        return with_port_and_zone(ipv6 ? literal->to_mapped() : *literal, host);
    }
    constexpr int families[] = {AF_INET6, AF_INET};
    const result<ip_address> found =
        interface_address(host.host, ipv6 ? std::span<const int>(families) : std::span<const int>(families).last(1));
    if (!found) {
        return found.error() == errc::address_not_available ? errc::no_device : found.error();
    }
    return with_port_and_zone(*found, host);
}

result<ip_address> resolve_source(const host_port& source, const ip_address& peer)
{
    const bool v4_peer = peer.to_unmapped().family() == AF_INET;
    std::optional<ip_address> local;
    if (source.host == "*") {
        local = ip_address::any(!v4_peer, 0);
    } else if (const auto literal = ip_address::from_literal(source.host, 0)) {
        local = literal->to_unmapped();
        if ((local->family() == AF_INET) != v4_peer) {
            return errc::address_not_available;
        }
    } else {
        const int family = v4_peer ? AF_INET : AF_INET6;
        const result<ip_address> found = interface_address(source.host, {&family, 1});
        if (!found) {
            return found.error();
        }
        local = *found;
    }
    return with_port_and_zone(peer.family() == AF_INET6 ? local->to_mapped() : *local, source);
}

result<std::optional<ip_address>> resolve_peer(const host_port& host, bool ipv6)
{
    const auto literal = ip_address::from_literal(host.host, 0);
    if (!literal) {
        return std::optional<ip_address>{};
    }
    if (literal->family() == AF_INET6 && !ipv6) {
        return errc::invalid_argument;
    }
    const result<ip_address> complete = with_port_and_zone(ipv6 ? literal->to_mapped() : *literal, host);
    if (!complete) {
        return complete.error();
    }
    return std::optional<ip_address>{*complete};
}

std::vector<ip_address> addresses_of(std::span<const runtime::socket_address> found)
{
    std::vector<ip_address> addresses;
    for (const runtime::socket_address& entry : found) {
        if (const auto a = ip_address::from_sockaddr(entry.data(), entry.length)) addresses.push_back(*a);
    }
    return addresses;
}

std::vector<ip_address> connect_candidates(const host_port& host, std::span<const ip_address> resolved, bool ipv6)
{
    std::vector<ip_address> candidates;
    const auto add = [&](const ip_address& address) {
        const result<ip_address> complete = with_port_and_zone(address, host);
        if (complete && std::ranges::find(candidates, *complete) == candidates.end()) {
            candidates.push_back(*complete);
        }
    };
    if (ipv6) {
        for (const ip_address& address : resolved) {
            if (address.family() == AF_INET6 && !address.is_v4_mapped()) {
                add(address);
            }
        }
    }
    for (const ip_address& address : resolved) {
        if (const ip_address v4 = address.to_unmapped(); v4.family() == AF_INET) {
            add(ipv6 ? v4.to_mapped() : v4);
        }
    }
    return candidates;
}

}  // namespace zlink::transport::ip
