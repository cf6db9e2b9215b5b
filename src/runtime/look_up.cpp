// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/look_up.hpp"

#include <netdb.h>

#include <cstring>
#include <memory>

namespace zlink::runtime {

resolver::answer look_up(const std::string& host) noexcept
{
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;  // each address once
    addrinfo* raw = nullptr;
    const int failure = ::getaddrinfo(host.c_str(), nullptr, &wanted, &raw);
    if (failure != 0) return failure == EAI_MEMORY ? errc::out_of_memory : errc::host_unreachable;
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> found(raw, &::freeaddrinfo);
    try {
        std::vector<socket_address> addresses;
        for (const addrinfo* entry = found.get(); entry; entry = entry->ai_next) {
            socket_address a{};
            a.length = entry->ai_addrlen;
            std::memcpy(&a.storage, entry->ai_addr, entry->ai_addrlen);
            addresses.push_back(a);
        }
        return addresses;
    } catch (...) {
        return errc::out_of_memory;
    }
}

}  // namespace zlink::runtime
