// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pure/tcp_packet.hpp"

#include "pure/network_order.hpp"

#include <algorithm>
#include <cstdio>

namespace zlink::tool {
namespace {

enum link_type : std::uint32_t {
    bsd_loopback = 0,
    ethernet = 1,
    raw_of_bsd = 12,
    raw_of_openbsd = 14,
    raw = 101,
    open_loopback = 108,
    linux_any = 113,
    raw_v4 = 228,
    raw_v6 = 229,
    linux_any_2 = 276,
};

constexpr std::uint16_t ether_v4 = 0x0800;
constexpr std::uint16_t ether_v6 = 0x86dd;
constexpr unsigned protocol_tcp = 6;

struct network_packet {
    std::string_view octets;
    std::size_t cut = 0;  // octets behind them that the capture has cut off
};

unsigned octet(std::string_view octets, std::size_t at)
{
    return static_cast<unsigned char>(octets[at]);
}

// Behind an EtherType at `at`, and tags of VLANs.
std::optional<std::string_view> behind_ether_type(std::string_view packet, std::size_t at)
{
    for (int tags = 0; tags < 4 && packet.size() >= at + 2; ++tags) {
        const auto type = number_at<std::uint16_t>(packet, at);
        if (type == ether_v4 || type == ether_v6) {
            return packet.substr(at + 2);
        }
        if (type != 0x8100 && type != 0x88a8 && type != 0x9100) {
            break;
        }
        at += 4;
    }
    return std::nullopt;
}

std::optional<std::string_view> network_layer(std::uint32_t link, std::string_view packet)
{
    switch (link) {
    case raw_of_bsd:
    case raw_of_openbsd:
    case raw:
    case raw_v4:
    case raw_v6: return packet;
    case bsd_loopback:
    case open_loopback: return packet.size() < 4 ? std::nullopt : std::optional(packet.substr(4));
    case ethernet: return behind_ether_type(packet, 12);
    case linux_any: return behind_ether_type(packet, 14);
    case linux_any_2: {
        if (packet.size() < 20) {
            return std::nullopt;
        }
        const auto type = number_at<std::uint16_t>(packet, 0);
        return type == ether_v4 || type == ether_v6 ? std::optional(packet.substr(20)) : std::nullopt;
    }
    default: return std::nullopt;
    }
}

// Leaves what belongs to the packet: Ethernet pads short ones, and captures cut long ones.
network_packet bounded(std::string_view octets, std::size_t size)
{
    return {octets.substr(0, size), size > octets.size() ? size - octets.size() : 0};
}

std::optional<network_packet> transport_of_v4(std::string_view packet, std::size_t cut, tcp_segment& found)
{
    if (packet.size() < 20) {
        return std::nullopt;
    }
    const std::size_t header = std::size_t{octet(packet, 0) & 15U} * 4;
    const std::size_t stated = number_at<std::uint16_t>(packet, 2);
    const std::size_t whole = stated == 0 ? packet.size() + cut : stated;  // 0: left to the network card
    const bool fragment = (number_at<std::uint16_t>(packet, 6) & 0x3fffU) != 0;
    if (header < 20 || packet.size() < header || whole < header || fragment || octet(packet, 9) != protocol_tcp) {
        return std::nullopt;
    }
    for (std::size_t at = 0; at < 4; ++at) {
        found.from.address[at] = static_cast<unsigned char>(packet[12 + at]);
        found.to.address[at] = static_cast<unsigned char>(packet[16 + at]);
    }
    return bounded(packet.substr(header), whole - header);
}

std::optional<network_packet> transport_of_v6(std::string_view packet, std::size_t cut, tcp_segment& found)
{
    constexpr std::size_t header = 40;
    if (packet.size() < header) {
        return std::nullopt;
    }
    const std::size_t stated = number_at<std::uint16_t>(packet, 4);
    network_packet rest = bounded(packet.substr(header), stated == 0 ? packet.size() - header + cut : stated);
    unsigned next = octet(packet, 6);
    for (int extensions = 0; next == 0 || next == 43 || next == 60; ++extensions) {  // fragments are not among them
        if (rest.octets.size() < 8 || extensions == 8) {
            return std::nullopt;
        }
        const std::size_t size = (std::size_t{octet(rest.octets, 1)} + 1) * 8;
        next = octet(rest.octets, 0);
        if (rest.octets.size() < size) {
            return std::nullopt;
        }
        rest.octets.remove_prefix(size);
    }
    if (next != protocol_tcp) {
        return std::nullopt;
    }
    found.from.v6 = found.to.v6 = true;
    for (std::size_t at = 0; at < 16; ++at) {
        found.from.address[at] = static_cast<unsigned char>(packet[8 + at]);
        found.to.address[at] = static_cast<unsigned char>(packet[24 + at]);
    }
    return rest;
}

// The longest run of zeros, of two groups at least, is left out.
std::string text_of_v6(const tcp_address& address)
{
    std::array<unsigned, 8> groups{};
    for (std::size_t at = 0; at < groups.size(); ++at) {
        groups[at] = (unsigned{address.address[2 * at]} << 8) | address.address[2 * at + 1];
    }
    std::size_t begin = 8;
    std::size_t longest = 1;
    for (std::size_t at = 0; at < 8;) {
        std::size_t end = at;
        while (end < 8 && groups[end] == 0) ++end;
        if (end - at > longest) {
            begin = at;
            longest = end - at;
        }
        at = std::max(end, at + 1);
    }
    std::string text;
    for (std::size_t at = 0; at < 8; ++at) {
        if (at == begin) {
            text += "::";
            at += longest - 1;
            continue;
        }
        char group[8];
        std::snprintf(group, sizeof group, "%x", groups[at]);
        text += (text.empty() || text.ends_with(':') ? "" : ":") + std::string(group);
    }
    return text;
}

}  // namespace

std::string text_of(const tcp_address& address)
{
    const std::string port = ':' + std::to_string(address.port);
    if (address.v6) {
        return '[' + text_of_v6(address) + ']' + port;
    }
    std::string text;
    for (std::size_t at = 0; at < 4; ++at) {
        text += (at > 0 ? "." : "") + std::to_string(int{address.address[at]});
    }
    return text + port;
}

bool knows_link(std::uint32_t link)
{
    switch (link) {
    case bsd_loopback:
    case ethernet:
    case raw_of_bsd:
    case raw_of_openbsd:
    case raw:
    case open_loopback:
    case linux_any:
    case raw_v4:
    case raw_v6:
    case linux_any_2: return true;
    default: return false;
    }
}

std::optional<tcp_segment> find_tcp(std::uint32_t link, std::string_view packet, std::uint32_t whole_size)
{
    const auto network = network_layer(link, packet);
    if (!network || network->empty()) {
        return std::nullopt;
    }
    const std::size_t cut = whole_size > packet.size() ? whole_size - packet.size() : 0;
    tcp_segment found;
    const unsigned version = octet(*network, 0) >> 4;
    const auto transport = version == 4   ? transport_of_v4(*network, cut, found)
                           : version == 6 ? transport_of_v6(*network, cut, found)
                                          : std::nullopt;
    if (!transport || transport->octets.size() < 20) {
        return std::nullopt;
    }
    const std::string_view tcp = transport->octets;
    const std::size_t header = std::size_t{octet(tcp, 12) >> 4} * 4;
    if (header < 20 || tcp.size() < header) {
        return std::nullopt;
    }
    found.from.port = number_at<std::uint16_t>(tcp, 0);
    found.to.port = number_at<std::uint16_t>(tcp, 2);
    found.sequence = number_at<std::uint32_t>(tcp, 4);
    const unsigned flags = octet(tcp, 13);
    found.fin = (flags & 1U) != 0;
    found.syn = (flags & 2U) != 0;
    found.rst = (flags & 4U) != 0;
    found.ack = (flags & 16U) != 0;
    found.missing = std::uint32_t(transport->cut);
    found.payload = tcp.substr(header);
    return found;
}

}  // namespace zlink::tool
