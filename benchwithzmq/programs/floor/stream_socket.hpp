// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What tcp and ipc could cost at least: blocking sockets of the kernel without any protocol on them.
#pragma once

#include "harness/fail.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

namespace bench {

inline void must(bool good, const char* call)
{
    if (!good) [[unlikely]]
        fail(exit_status::failed, "%s: %s", call, std::strerror(errno));
}

// A connected stream. Two of them are made before anything forks; each end uses one.
class stream_socket {
public:
    explicit stream_socket(int descriptor) : descriptor_(descriptor) {}
    stream_socket(stream_socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    stream_socket& operator=(stream_socket&&) = delete;
    ~stream_socket()
    {
        if (descriptor_ >= 0) ::close(descriptor_);
    }

    void send(const char* octets, std::size_t size)
    {
        while (size > 0) {
            const ssize_t sent = ::send(descriptor_, octets, size, MSG_NOSIGNAL);
            must(sent > 0, "send");
            octets += sent;
            size -= static_cast<std::size_t>(sent);
        }
    }

    // Exactly so many; false if the other end closed instead.
    [[nodiscard]] bool receive_all(char* octets, std::size_t size)
    {
        while (size > 0) {
            const std::size_t got = receive_some(octets, size);
            if (got == 0) return false;
            octets += got;
            size -= got;
        }
        return true;
    }

    // What is there, at most `size`; 0 once the other end has closed.
    [[nodiscard]] std::size_t receive_some(char* octets, std::size_t size)
    {
        const ssize_t got = ::recv(descriptor_, octets, size, 0);
        must(got >= 0, "recv");
        return static_cast<std::size_t>(got);
    }

    void end_sending() { ::shutdown(descriptor_, SHUT_WR); }

private:
    int descriptor_;
};

// As fast as the kernel can: a congestion control that paces, where it is the default, halves large messages on
// loopback.
inline void do_not_pace(int descriptor)
{
    (void)::setsockopt(descriptor, IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
}

inline std::pair<stream_socket, stream_socket> connected_pair(const std::string& transport)
{
    int ends[2];
    if (transport == "ipc") {
        must(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "socketpair");
        return {stream_socket(ends[0]), stream_socket(ends[1])};
    }
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    must(listener >= 0, "socket");
    do_not_pace(listener);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    must(::bind(listener, reinterpret_cast<sockaddr*>(&address), length) == 0, "bind");
    must(::listen(listener, 1) == 0, "listen");
    must(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length) == 0, "getsockname");
    ends[0] = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    must(ends[0] >= 0, "socket");
    do_not_pace(ends[0]);
    must(::connect(ends[0], reinterpret_cast<sockaddr*>(&address), length) == 0, "connect");
    ends[1] = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    must(ends[1] >= 0, "accept");
    ::close(listener);
    const int on = 1;
    for (const int end : ends) ::setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return {stream_socket(ends[0]), stream_socket(ends[1])};
}

}  // namespace bench
