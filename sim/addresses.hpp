// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Addresses of sockets, as programs hand them in: octets of a sockaddr.
#pragma once

#include "sim/kernel.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstring>
#include <string>

namespace zlink::sim {

inline int family_of(const address& a)
{
    sa_family_t family = AF_UNSPEC;
    if (a.size() >= sizeof family) std::memcpy(&family, a.data(), sizeof family);
    return family;
}

/// The port lies at the same place for both families.
inline int port_of(const address& a)
{
    in_port_t port = 0;
    if (a.size() >= offsetof(sockaddr_in, sin_port) + sizeof port)
        std::memcpy(&port, a.data() + offsetof(sockaddr_in, sin_port), sizeof port);
    return ntohs(port);
}

inline void set_port(address& a, int port)
{
    const in_port_t value = htons(in_port_t(port));
    std::memcpy(a.data() + offsetof(sockaddr_in, sin_port), &value, sizeof value);
}

/// Of a socket that has a file. Empty: it has none.
inline std::string path_of(const address& a)
{
    constexpr std::size_t head = offsetof(sockaddr_un, sun_path);
    if (family_of(a) != AF_UNIX || a.size() <= head || a[head] == '\0') return {};
    return a.substr(head).c_str();
}

/// What a listener is found by. There is one machine, and all its addresses are the same.
inline std::string name_of(const address& a)
{
    if (family_of(a) == AF_UNIX) return "local" + a;
    return "port " + std::to_string(port_of(a));
}

}  // namespace zlink::sim
