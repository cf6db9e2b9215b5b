// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The segment of TCP in a captured packet, below Ethernet, loopback, Linux's "any" or nothing, and IPv4 or IPv6.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zlink::tool {

struct tcp_address {
    bool v6 = false;
    std::array<unsigned char, 16> address{};
    std::uint16_t port = 0;

    auto operator<=>(const tcp_address&) const = default;
};

// "192.0.2.1:5555", "[2001:db8::1]:5555"
std::string text_of(const tcp_address& address);

struct tcp_segment {
    tcp_address from;
    tcp_address to;
    std::uint32_t sequence = 0;
    bool syn = false;
    bool ack = false;
    bool fin = false;
    bool rst = false;
    std::uint32_t missing = 0;  // octets of it that the capture has cut off
    std::string_view payload;   // in the packet
};

// Nothing if it is something else, a fragment, or malformed. `link`: LINKTYPE_...; `whole_size`: of the packet on the
// network.
std::optional<tcp_segment> find_tcp(std::uint32_t link, std::string_view packet, std::uint32_t whole_size);

// Whether packets of this kind can be read.
bool knows_link(std::uint32_t link);

}  // namespace zlink::tool
