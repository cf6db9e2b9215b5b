// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Packets and captures as literal octets, for tests.
#pragma once

#include "pure/network_order.hpp"

#include <string>

namespace zlink::tool::packets {

// TCP over IPv4 from 10.0.0.1 (client) to 10.0.0.2, or back.
struct tcp {
    bool back = false;
    std::uint32_t sequence = 0;
    unsigned char flags = 0x10;  // ACK
    std::string payload = {};
    std::uint16_t client_port = 40000;
};

inline std::string segment(const tcp& wanted)
{
    std::string octets;
    append_number<std::uint16_t>(octets, wanted.back ? 5555 : wanted.client_port);
    append_number<std::uint16_t>(octets, wanted.back ? wanted.client_port : 5555);
    append_number<std::uint32_t>(octets, wanted.sequence);
    append_number<std::uint32_t>(octets, 0);
    octets += '\x50';
    octets += static_cast<char>(wanted.flags);
    octets += std::string(6, '\0');
    return octets + wanted.payload;
}

inline std::string v4(const tcp& wanted)
{
    const std::string inner = segment(wanted);
    std::string octets("\x45\0", 2);
    append_number(octets, std::uint16_t(20 + inner.size()));
    octets += std::string("\0\0\x40\0\x40\x06\0\0", 8);
    const std::string client("\x0a\0\0\1", 4);
    const std::string server("\x0a\0\0\2", 4);
    return octets + (wanted.back ? server + client : client + server) + inner;
}

inline std::string v6(const tcp& wanted)
{
    const std::string inner = segment(wanted);
    std::string octets("\x60\0\0\0", 4);
    append_number(octets, std::uint16_t(inner.size()));
    octets += std::string("\x06\x40", 2);
    const std::string client = std::string("\x20\x01\x0d\xb8", 4) + std::string(11, '\0') + '\1';
    const std::string server = std::string(15, '\0') + '\1';
    return octets + (wanted.back ? server + client : client + server) + inner;
}

inline std::string ethernet(const std::string& packet)
{
    const bool is_v6 = (static_cast<unsigned char>(packet[0]) >> 4) == 6;
    return std::string(12, '\x02') + (is_v6 ? std::string("\x86\xdd") : std::string("\x08\0", 2)) + packet;
}

}  // namespace zlink::tool::packets
