// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Socket addresses of IP, and how an endpoint's host becomes one without asking DNS.
#pragma once

#include "base/result.hpp"
#include "runtime/resolver.hpp"
#include "transport/ip/host_port.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <netinet/in.h>
#include <sys/socket.h>

namespace zlink::transport::ip {

/// An IPv4 or IPv6 socket address; never of another family.
class ip_address {
public:
    /// Nothing when the family is neither AF_INET nor AF_INET6 or the length is short.
    [[nodiscard]] static std::optional<ip_address> from_sockaddr(const sockaddr* address, socklen_t length) noexcept;
    /// 0.0.0.0, or [::] when `ipv6`.
    [[nodiscard]] static ip_address any(bool ipv6, std::uint16_t port) noexcept;
    /// A numeric address without brackets or zone; forms such as "127.1" count as IPv4, as inet_aton has them.
    [[nodiscard]] static std::optional<ip_address> from_literal(const std::string& host, std::uint16_t port) noexcept;

    [[nodiscard]] const sockaddr* data() const noexcept { return reinterpret_cast<const sockaddr*>(&storage_); }
    [[nodiscard]] socklen_t size() const noexcept;
    [[nodiscard]] int family() const noexcept { return storage_.v4.sin_family; }
    [[nodiscard]] std::uint16_t port() const noexcept;
    void set_port(std::uint16_t port) noexcept;
    /// Zone of a link-local IPv6 address; of no effect on IPv4.
    void set_scope_id(std::uint32_t id) noexcept;
    [[nodiscard]] std::uint32_t scope_id() const noexcept;  ///< 0: none

    [[nodiscard]] bool is_v4_mapped() const noexcept;
    /// 224.0.0.0/4 or ff00::/8; no mapped address.
    [[nodiscard]] bool is_multicast() const noexcept;
    /// 0.0.0.0 or ::.
    [[nodiscard]] bool is_any() const noexcept;
    /// 127.0.0.0/8 (mapped or not) or ::1.
    [[nodiscard]] bool is_loopback() const noexcept;
    /// IPv4 as ::ffff:a.b.c.d; IPv6 unchanged.
    [[nodiscard]] ip_address to_mapped() const noexcept;
    /// ::ffff:a.b.c.d as IPv4; all others unchanged.
    [[nodiscard]] ip_address to_unmapped() const noexcept;
    /// The 4 or 16 bytes of the address, in network order.
    [[nodiscard]] std::span<const std::uint8_t> address_bytes() const noexcept;

    /// Numeric host without brackets, with the zone of a link-local address: "127.0.0.1", "fe80::1%eth0".
    [[nodiscard]] std::string host_text() const;
    /// "127.0.0.1:5555", "[::1]:5555".
    [[nodiscard]] std::string text() const;

    /// Same family, address, port and zone.
    friend bool operator==(const ip_address& a, const ip_address& b) noexcept;

private:
    ip_address() noexcept = default;

    union {
        sockaddr_in v4;
        sockaddr_in6 v6;
    } storage_{.v6 = {}};
};

/// The address to bind to: "*", an interface name or a literal address, never DNS. With `ipv6`, "*" is [::], IPv4
/// literals become mapped addresses, and an interface gives its first IPv6 address if it has one. Without `ipv6`, IPv6
/// literals are unknown. Errors: no_device for a host of another kind, invalid_argument for an unknown zone. Reads the
/// interface list: call it at bind or connect time, not per message.
[[nodiscard]] result<ip_address> resolve_local(const host_port& host, bool ipv6);

/// The same for the source of a connection to `peer`: an interface answers with an address of the peer's family.
[[nodiscard]] result<ip_address> resolve_source(const host_port& source, const ip_address& peer);

/// The address to connect to if the host is a literal one; nothing when it is a name for DNS. With `ipv6`, IPv4
/// literals are mapped. Error: invalid_argument for an IPv6 literal without `ipv6` or a zone unknown (at the moment).
[[nodiscard]] result<std::optional<ip_address>> resolve_peer(const host_port& host, bool ipv6);

/// DNS's answer in the form of this class; other families are left out.
[[nodiscard]] std::vector<ip_address> addresses_of(std::span<const runtime::socket_address> found);

/// The addresses to try, in order, after DNS answered with `resolved` (of any port). Without `ipv6` they are the IPv4
/// ones; with it, IPv6 first and then IPv4 as mapped addresses. The host's port and zone are put in, repetitions
/// dropped. Empty when no address fits.
[[nodiscard]] std::vector<ip_address> connect_candidates(const host_port& host, std::span<const ip_address> resolved,
                                                         bool ipv6);

}  // namespace zlink::transport::ip
