// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/tcp/tcp_socket.hpp"

#include "transport/ip/device.hpp"
#include "transport/ip/ip_options.hpp"
#include "transport/tcp/accept_filter.hpp"
#include "transport/tcp/tcp_options.hpp"

#include <algorithm>
#include <cerrno>

#include <netinet/ip.h>
#include <netinet/tcp.h>

namespace zlink::transport::tcp {

namespace {

/// Remembers the first failure of several attempts.
class first_error {
public:
    void note(const result<void>& outcome)
    {
        if (result_ && !outcome) {
            result_ = outcome;
        }
    }
    [[nodiscard]] result<void> get() const { return result_; }

private:
    result<void> result_;
};

/// The options that must be set before listen or connect (buffers fix the window scale), and those that may be set at
/// any time.
result<void> set_common_options(int fd, int family, const stream_options& options)
{
    const tcp_options& own = options.of<tcp_options>();
    first_error error;
    if (options.sndbuf >= 0) {
        error.note(set_option(fd, SOL_SOCKET, SO_SNDBUF, options.sndbuf));
    }
    if (options.rcvbuf >= 0) {
        error.note(set_option(fd, SOL_SOCKET, SO_RCVBUF, options.rcvbuf));
    }
    if (own.tos != 0) {
        const result<void> v4 = set_option(fd, IPPROTO_IP, IP_TOS, own.tos);
        if (family == AF_INET6) {
            error.note(set_option(fd, IPPROTO_IPV6, IPV6_TCLASS, own.tos));
        } else {
            error.note(v4);
        }
    }
#ifdef SO_PRIORITY
    if (own.priority != 0) {  // after the TOS, which on Linux changes the priority too
        error.note(set_option(fd, SOL_SOCKET, SO_PRIORITY, own.priority));
    }
#endif
#ifdef SO_BUSY_POLL
    if (own.busy_poll != 0) {
        error.note(set_option(fd, SOL_SOCKET, SO_BUSY_POLL, own.busy_poll));
    }
#endif
    return error.get();
}

/// A congestion control that paces (BBR as the host's default) costs timers and half of the throughput of large
/// messages on a path without congestion. So on loopback the plain one takes its place. This is best done before the
/// connection is made: a connection that began to pace goes on, at the plain one's rate. Measured:
/// docs/performance/history.md, 0004.
void unpace([[maybe_unused]] int fd)
{
#ifdef TCP_CONGESTION
    char name[16] = {};
    socklen_t size = sizeof name - 1;
    if (::getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &size) != 0) return;
    constexpr std::string_view pacing = "bbr", plain = "reno";
    // Best effort: the system may not have it.
    if (std::string_view(name).starts_with(pacing)) {
        (void)::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, plain.data(), socklen_t(plain.size()));
    }
#endif
}

/// 0.0.0.0 for [::], a.b.c.d for ::ffff:a.b.c.d; nothing for addresses that only IPv6 has.
std::optional<ip_address> as_ipv4(const ip_address& address)
{
    if (address == ip_address::any(true, address.port())) {
        return ip_address::any(false, address.port());
    }
    const ip_address plain = address.to_unmapped();
    return plain.family() == AF_INET ? std::optional(plain) : std::nullopt;
}

struct prepared_socket {
    unique_fd fd;
    bool fell_back = false;  ///< to IPv4, since the system has no IPv6
};

result<prepared_socket> prepare_socket(const ip_address& address, const stream_options& options)
{
    prepared_socket prepared;
    int family = address.family();
    result<unique_fd> fd = open_stream_socket(family);
    if (!fd && fd.error() == errc::family_not_supported && as_ipv4(address)) {
        prepared.fell_back = true;
        family = AF_INET;
        fd = open_stream_socket(family);
    }
    if (!fd) {
        return fd.error();
    }
    prepared.fd = std::move(*fd);
    if (family == AF_INET6) {
        // Some systems refuse and serve both families all the same.
        static_cast<void>(set_option(prepared.fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, 0));
    }
    const std::string& device = options.of<ip::ip_options>().bind_to_device;
    if (const result<void> bound = ip::bind_to_device(prepared.fd.get(), device); !bound) {
        return bound.error();
    }
    if (address.is_loopback()) unpace(prepared.fd.get());
    // If the system refuses a tuning (a priority reserved to root, say), the socket still works.
    static_cast<void>(set_common_options(prepared.fd.get(), family, options));
    return prepared;
}

result<void> bind_source(int fd, const ip_address& source)
{
    if (source.port() != 0) {
        // One source port may serve connections to several peers.
        static_cast<void>(set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1));
    }
#ifdef IP_BIND_ADDRESS_NO_PORT
    if (source.port() == 0) {
        // The port is picked at connect; it then needs to be unique only for the peer.
        static_cast<void>(set_option(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1));
    }
#endif
    return ::bind(fd, source.data(), source.size()) == 0 ? result<void>{} : result<void>{from_errno(errno)};
}

using name_function = int (*)(int, sockaddr*, socklen_t*);

result<ip_address> address_by(name_function get_name, int fd)
{
    sockaddr_storage storage{};
    socklen_t length = sizeof storage;
    auto* address = reinterpret_cast<sockaddr*>(&storage);
    if (get_name(fd, address, &length) != 0) {
        return from_errno(errno);
    }
    const auto found = ip_address::from_sockaddr(address, length);
    return found ? result<ip_address>{*found} : result<ip_address>{errc::family_not_supported};
}

bool is_connected_to_itself(int fd)
{
    const result<ip_address> local = local_address(fd);
    const result<ip_address> peer = peer_address(fd);
    return local && peer && *local == *peer;
}

bool admits(const std::vector<std::string>& filters, const std::optional<ip_address>& peer)
{
    if (filters.empty()) {
        return true;
    }
    if (!peer) {
        return false;
    }
    for (const std::string& text : filters) {
        const result<accept_filter> filter = accept_filter::parse(text);
        if (filter && filter->admits(*peer)) {
            return true;
        }
    }
    return false;
}

result<void> set_keepalive(int fd, const stream_options& options)
{
    const tcp_options& own = options.of<tcp_options>();
    if (own.keepalive < 0) {
        return {};
    }
    first_error error;
    error.note(set_option(fd, SOL_SOCKET, SO_KEEPALIVE, own.keepalive));
#ifdef TCP_KEEPCNT
    if (own.keepalive_cnt > 0) {
        error.note(set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, own.keepalive_cnt));
    }
#endif
    if (own.keepalive_idle > 0) {
#if defined(TCP_KEEPIDLE)
        error.note(set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, own.keepalive_idle));
#elif defined(TCP_KEEPALIVE)
        error.note(set_option(fd, IPPROTO_TCP, TCP_KEEPALIVE, own.keepalive_idle));
#endif
    }
#ifdef TCP_KEEPINTVL
    if (own.keepalive_intvl > 0) {
        error.note(set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, own.keepalive_intvl));
    }
#endif
    return error.get();
}

}  // namespace

result<unique_fd> open_listener(const ip_address& address, const stream_options& options, int* number)
{
    if (options.use_fd >= 0) {
        return adopt_listener(options.use_fd);
    }
    result<prepared_socket> prepared = prepare_socket(address, options);
    if (!prepared) {
        return prepared.error();
    }
    const int fd = prepared->fd.get();
    if (number != nullptr) {
        *number = fd;
    }
    const ip_address local = prepared->fell_back ? *as_ipv4(address) : address;
    if (const result<void> set = set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1); !set) {
        return set.error();
    }
    if (::bind(fd, local.data(), local.size()) != 0 || ::listen(fd, options.backlog) != 0) {
        return from_errno(errno);
    }
    return std::move(prepared->fd);
}

result<connecting_socket> open_connection(const ip_address& peer, const std::optional<ip_address>& source,
                                          const stream_options& options, int* number)
{
    result<prepared_socket> prepared = prepare_socket(peer, options);
    if (!prepared) {
        return prepared.error();
    }
    const int fd = prepared->fd.get();
    if (number != nullptr) {
        *number = fd;
    }
    if (source) {
        const std::optional<ip_address> local = prepared->fell_back ? as_ipv4(*source) : source;
        if (!local) {
            return errc::address_not_available;
        }
        if (const result<void> bound = bind_source(fd, *local); !bound) {
            return bound.error();
        }
    }
    const ip_address remote = prepared->fell_back ? *as_ipv4(peer) : peer;
    const result<bool> in_progress = start_connect(fd, remote.data(), remote.size());
    if (!in_progress) {
        return in_progress.error();
    }
    if (!*in_progress && is_connected_to_itself(fd)) {
        return errc::connection_refused;
    }
    return connecting_socket{std::move(prepared->fd), *in_progress};
}

result<void> finish_connect(int fd)
{
    if (const result<void> connected = take_socket_error(fd); !connected) {
        return connected;
    }
    return is_connected_to_itself(fd) ? result<void>{errc::connection_refused} : result<void>{};
}

result<unique_fd> accept_connection(int listener, const stream_options& options, std::optional<ip_address>* peer)
{
    peer_name name;
    result<unique_fd> accepted = accept_stream(listener, &name);
    const auto from = ip_address::from_sockaddr(reinterpret_cast<const sockaddr*>(&name.address), name.size);
    if (peer != nullptr) {
        *peer = from;
    }
    if (accepted && !admits(options.of<tcp_options>().accept_filters, from)) {
        return errc::access_denied;
    }
    return accepted;
}

result<void> tune_connection(int fd, const stream_options& options)
{
    const tcp_options& own = options.of<tcp_options>();
    const result<ip_address> local = local_address(fd);
    first_error error;
    error.note(set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1));
    // If a listener on all addresses accepts a connection, only now is it known to be local.
    if (const result<ip_address> peer = peer_address(fd); peer && peer->is_loopback()) unpace(fd);
    error.note(set_keepalive(fd, options));
#ifdef TCP_USER_TIMEOUT
    if (own.maxrt.count() > 0) {
        error.note(set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(own.maxrt.count())));
    }
#endif
    error.note(set_common_options(fd, local ? local->family() : AF_INET, options));
    return error.get();
}

// A write becomes one segment, up to 64 KB on loopback. The peer's kernel acknowledges one segment at once only if the
// program has read it and sends nothing itself; otherwise after 40 ms. It acknowledges two at once. So there must be
// room for a second segment. There is, while the first, with some hundred octets of the kernel's own, is below the
// limit. Without ZMQ_SNDBUF the limit grows with the segments. Measured with ZMQ_SNDBUF from 1 KB to 256 KB:
// docs/performance/history.md, 0020.
std::size_t most_per_write(int fd, const stream_options& options) noexcept
{
    constexpr std::size_t unlimited = std::size_t(-1);
    constexpr std::size_t two_segments = 128 * 1024;  // on loopback; with the kernel's overhead for them
    constexpr std::size_t half_a_segment = 32 * 1024;
    int size = 0;
    socklen_t length = sizeof size;
    if (options.sndbuf < 0 || ::getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, &length) != 0) return unlimited;
    const std::size_t room = std::size_t(size);
    return room < two_segments ? std::min(half_a_segment, room - room / 8) : unlimited;
}

result<ip_address> local_address(int fd)
{
    return address_by(::getsockname, fd);
}

result<ip_address> peer_address(int fd)
{
    return address_by(::getpeername, fd);
}

std::string local_endpoint(int fd)
{
    const result<ip_address> address = local_address(fd);
    return address ? endpoint_text(*address) : std::string{};
}

std::string peer_endpoint(int fd)
{
    const result<ip_address> address = peer_address(fd);
    return address ? endpoint_text(*address) : std::string{};
}

}  // namespace zlink::transport::tcp
