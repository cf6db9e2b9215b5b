// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Addresses of peers as a DGRAM socket's program gives and gets them: "127.0.0.1:5555", "[::1]:5555",
// "[fe80::1%2]:5555".
#pragma once

#include "transport/ip/ip_address.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace zlink::transport::udp {

/// The most octets of such a text, with its NUL: 45 of an IPv6 address, 16 of a zone, brackets, the port.
inline constexpr std::size_t longest_address_text = 80;

/// Writes the text and a NUL, which counts: libzmq's frames have one. A mapped IPv4 address is shown as IPv4. Returns
/// the number of octets; 0: the address is not one of IP. Allocates nothing.
[[nodiscard]] std::size_t write_address(const sockaddr* address, socklen_t size,
                                        std::span<char, longest_address_text> to) noexcept;

/// The text may end with a NUL. Nothing: it is not a literal address with a port from 1 to 65535.
[[nodiscard]] std::optional<ip::ip_address> read_address(std::span<const std::byte> text) noexcept;

}  // namespace zlink::transport::udp
