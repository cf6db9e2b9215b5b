// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Files of captured packets as octets, for tests.
#pragma once

#include "pure/network_order.hpp"

#include <string>
#include <vector>

namespace zlink::tool::captures {

struct packet {
    std::uint32_t seconds;
    std::uint32_t parts;  // of a second: micro- or nanoseconds
    std::string octets;
};

inline void append_little(std::string& to, std::uint32_t value, std::size_t size = 4)
{
    for (std::size_t at = 0; at < size; ++at) {
        to += static_cast<char>(static_cast<unsigned char>(value >> (8 * at)));
    }
}

// Of pcap, with the least significant octet first or last.
inline std::string classic(const std::vector<packet>& packets, bool little = true, bool nanoseconds = false)
{
    std::string file;
    const auto number = [&](std::uint32_t value) { little ? append_little(file, value) : append_number(file, value); };
    number(nanoseconds ? 0xa1b23c4d : 0xa1b2c3d4);
    for (const std::uint32_t value : {0x00040002U, 0U, 0U, 262144U, 1U}) {
        number(value);
    }
    for (const auto& each : packets) {
        for (const std::uint32_t value :
             {each.seconds, each.parts, std::uint32_t(each.octets.size()), std::uint32_t(each.octets.size() + 1)}) {
            number(value);
        }
        file += each.octets;
    }
    return file;
}

inline std::string block(std::uint32_t type, std::string body)
{
    body.resize((body.size() + 3) / 4 * 4);
    std::string octets;
    append_little(octets, type);
    append_little(octets, std::uint32_t(body.size() + 12));
    octets += body;
    append_little(octets, std::uint32_t(body.size() + 12));
    return octets;
}

inline std::string section()
{
    std::string body;
    append_little(body, 0x1a2b3c4d);
    append_little(body, 0x00000001);
    body += std::string(8, '\xff');
    return block(0x0a0d0d0a, body);
}

// With times in nanoseconds.
inline std::string interface()
{
    std::string body;
    append_little(body, 1, 2);
    append_little(body, 0, 2);
    append_little(body, 0);
    append_little(body, 9, 2);
    append_little(body, 1, 2);
    append_little(body, 9);
    append_little(body, 0);
    return block(1, body);
}

inline std::string enhanced(const packet& wanted, std::uint32_t interface = 0)
{
    const std::uint64_t ticks = std::uint64_t{wanted.seconds} * 1'000'000'000 + wanted.parts;
    std::string body;
    append_little(body, interface);
    append_little(body, std::uint32_t(ticks >> 32));
    append_little(body, std::uint32_t(ticks));
    append_little(body, std::uint32_t(wanted.octets.size()));
    append_little(body, std::uint32_t(wanted.octets.size()));
    return block(6, body + wanted.octets);
}

}  // namespace zlink::tool::captures
