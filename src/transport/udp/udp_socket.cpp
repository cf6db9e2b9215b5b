// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/udp/udp_socket.hpp"

#include "transport/ip/device.hpp"
#include "transport/ip/ip_options.hpp"
#include "transport/stream_socket.hpp"
#include "transport/udp/udp_options.hpp"

#include <cerrno>

#include <netinet/in.h>
#include <sys/socket.h>

namespace zlink::transport::udp {

namespace {

using ip::ip_address;

result<unique_fd> open_socket(const udp_route& route, const stream_options& options)
{
    const int family = route.target.family();
    unique_fd fd{::socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (!fd) return from_errno(errno);
    // "*" on a socket that speaks IPv6 serves both families. Some systems refuse, and do so all the same.
    if (family == AF_INET6) (void)set_option(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
    const auto limited = ip::bind_to_device(fd.get(), options.of<ip::ip_options>().bind_to_device);
    if (!limited) return limited.error();
    // Best effort, as for streams.
    if (options.sndbuf >= 0) (void)set_option(fd.get(), SOL_SOCKET, SO_SNDBUF, options.sndbuf);
    if (options.rcvbuf >= 0) (void)set_option(fd.get(), SOL_SOCKET, SO_RCVBUF, options.rcvbuf);
    return fd;
}

result<void> share(int fd, bool multicast)
{
    const auto shared = set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    return shared && multicast ? set_option(fd, SOL_SOCKET, SO_REUSEPORT, 1) : shared;
}

result<void> bind_to(int fd, const ip_address& where)
{
    return ::bind(fd, where.data(), where.size()) == 0 ? result<void>{} : result<void>{from_errno(errno)};
}

// A port that the system chooses is shared only once it is this socket's: the system would choose one that others
// share.
result<void> bind_shared(int fd, const udp_route& route)
{
    const bool multicast = route.is_multicast();
    const bool chosen = route.target.port() == 0;
    const ip_address any = ip_address::any(route.target.family() == AF_INET6, route.target.port());
    if (!chosen) {
        if (const auto shared = share(fd, multicast); !shared) return shared;
    }
    const auto bound = bind_to(fd, multicast ? any : route.target);
    return bound && chosen ? share(fd, multicast) : bound;
}

// Otherwise the socket would also get the datagrams of groups that other sockets of this machine have joined.
void hear_own_groups_alone(int fd, int family)
{
#ifdef IP_MULTICAST_ALL
    if (family == AF_INET) (void)set_option(fd, IPPROTO_IP, IP_MULTICAST_ALL, 0);
#endif
#ifdef IPV6_MULTICAST_ALL
    if (family == AF_INET6) (void)set_option(fd, IPPROTO_IPV6, IPV6_MULTICAST_ALL, 0);
#endif
}

result<void> join(int fd, const udp_route& route)
{
    hear_own_groups_alone(fd, route.target.family());
    if (route.target.family() == AF_INET) {
        ip_mreq wanted{};
        wanted.imr_multiaddr = reinterpret_cast<const sockaddr_in*>(route.target.data())->sin_addr;
        wanted.imr_interface = reinterpret_cast<const sockaddr_in*>(route.interface.data())->sin_addr;
        return set_option(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &wanted, sizeof wanted);
    }
    ipv6_mreq wanted{};
    wanted.ipv6mr_multiaddr = reinterpret_cast<const sockaddr_in6*>(route.target.data())->sin6_addr;
    wanted.ipv6mr_interface = route.interface_index;
    return set_option(fd, IPPROTO_IPV6, IPV6_ADD_MEMBERSHIP, &wanted, sizeof wanted);
}

result<void> set_multicast_v4(int fd, const udp_route& route, const udp_options& own)
{
    const auto loop = set_option(fd, IPPROTO_IP, IP_MULTICAST_LOOP, own.multicast_loop);
    const auto hops = set_option(fd, IPPROTO_IP, IP_MULTICAST_TTL, own.multicast_hops);
    if (!loop || !hops || route.interface.is_any()) return loop ? hops : loop;
    const in_addr by = reinterpret_cast<const sockaddr_in*>(route.interface.data())->sin_addr;
    return set_option(fd, IPPROTO_IP, IP_MULTICAST_IF, &by, sizeof by);
}

result<void> set_multicast_v6(int fd, const udp_route& route, const udp_options& own)
{
    const auto loop = set_option(fd, IPPROTO_IPV6, IPV6_MULTICAST_LOOP, own.multicast_loop);
    const auto hops = set_option(fd, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, own.multicast_hops);
    if (!loop || !hops || route.interface_index == 0) return loop ? hops : loop;
    return set_option(fd, IPPROTO_IPV6, IPV6_MULTICAST_IF, int(route.interface_index));
}

}  // namespace

result<unique_fd> open_receiver(const udp_route& route, const stream_options& options)
{
    auto fd = open_socket(route, options);
    if (!fd) return fd;
    if (const auto bound = bind_shared(fd->get(), route); !bound) return bound.error();
    if (!route.is_multicast()) return fd;
    const auto joined = join(fd->get(), route);
    return joined ? std::move(fd) : result<unique_fd>{joined.error()};
}

result<unique_fd> open_sender(const udp_route& route, const stream_options& options)
{
    auto fd = open_socket(route, options);
    if (!fd || !route.is_multicast()) return fd;
    const auto& own = options.of<udp_options>();
    const bool v4 = route.target.family() == AF_INET;
    const auto set = v4 ? set_multicast_v4(fd->get(), route, own) : set_multicast_v6(fd->get(), route, own);
    return set ? std::move(fd) : result<unique_fd>{set.error()};
}

result<std::uint16_t> bound_port(int fd)
{
    sockaddr_storage name{};
    socklen_t size = sizeof name;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size) != 0) return from_errno(errno);
    const auto local = ip_address::from_sockaddr(reinterpret_cast<const sockaddr*>(&name), size);
    return local ? result<std::uint16_t>{local->port()} : result<std::uint16_t>{errc::family_not_supported};
}

}  // namespace zlink::transport::udp
