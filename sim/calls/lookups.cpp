// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Look-ups of names. Each name is this machine's. Answers are late; with faults they fail, or have an address at which
// nobody listens, and the next one may be right.

#include "sim/calls/call.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdlib>
#include <cstring>

using namespace zlink::sim;

namespace {

struct answer {
    addrinfo info;
    sockaddr_storage where;
};

addrinfo* make(int family, in_port_t port, addrinfo* next)
{
    const inside in;
    auto* const a = new answer{};
    a->info.ai_family = family;
    a->info.ai_socktype = SOCK_STREAM;
    a->info.ai_protocol = IPPROTO_TCP;
    a->info.ai_addr = reinterpret_cast<sockaddr*>(&a->where);
    a->info.ai_next = next;
    if (family == AF_INET) {
        sockaddr_in v4{};
        v4.sin_family = AF_INET;
        v4.sin_port = port;
        v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        std::memcpy(&a->where, &v4, sizeof v4);
        a->info.ai_addrlen = sizeof v4;
    } else {
        sockaddr_in6 v6{};
        v6.sin6_family = AF_INET6;
        v6.sin6_port = port;
        v6.sin6_addr = in6addr_loopback;
        std::memcpy(&a->where, &v6, sizeof v6);
        a->info.ai_addrlen = sizeof v6;
    }
    return &a->info;
}

}  // namespace

extern "C" {

int __real_getaddrinfo(const char*, const char*, const addrinfo*, addrinfo**);
int __wrap_getaddrinfo(const char* name, const char* service, const addrinfo* hints, addrinfo** to)
{
    if (!world::exists()) return __real_getaddrinfo(name, service, hints, to);
    world& w = world::get();
    const kernel_call call("look-up");
    w.sleep_until(w.now() + w.chance().exponential(20.0 * double(w.how().delay)), "an answer to a look-up");
    if (w.chance().chance(w.how().refused)) return w.chance().chance(0.5) ? EAI_AGAIN : EAI_NONAME;
    const auto port = in_port_t(service ? htons(in_port_t(std::atoi(service))) : 0);
    const int family = hints ? hints->ai_family : AF_UNSPEC;
    // Sockets of the programs listen at the address of IPv4.
    const bool wrong = family != AF_INET && w.chance().chance(w.how().refused);
    const bool both = family == AF_UNSPEC && w.chance().chance(0.5);
    addrinfo* found = wrong || family == AF_INET6 ? nullptr : make(AF_INET, port, nullptr);
    if (wrong || both || family == AF_INET6) found = make(AF_INET6, port, found);
    *to = found;
    return 0;
}
void __real_freeaddrinfo(addrinfo*);
void __wrap_freeaddrinfo(addrinfo* list)
{
    if (!world::exists()) return __real_freeaddrinfo(list);
    const inside in;
    while (list) {
        addrinfo* const next = list->ai_next;
        delete reinterpret_cast<answer*>(list);
        list = next;
    }
}
}
