// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A TCP connection that is no ZeroMQ socket.
#pragma once

#include "support/zmq_socket.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace zlink::test {

// A plain TCP peer on 127.0.0.1, for what no ZeroMQ socket would do. Reads and writes give up after a few seconds.
class tcp_peer {
public:
    tcp_peer() = default;
    explicit tcp_peer(int fd) : fd_(fd) { set_timeouts(); }
    tcp_peer(tcp_peer&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    tcp_peer& operator=(tcp_peer&& other) noexcept
    {
        if (this != &other) {
            close();
            fd_ = std::exchange(other.fd_, -1);
        }
        return *this;
    }
    ~tcp_peer() { close(); }

    int fd() const { return fd_; }

    static std::uint16_t port_of(const std::string& endpoint)
    {
        return static_cast<std::uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1)));
    }

    static tcp_peer connect(const std::string& endpoint, const place& where = place::current())
    {
        tcp_peer peer(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in address = loopback(port_of(endpoint));
        if (::connect(peer.fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
            fail_at(where, "connect " + endpoint);
        }
        return peer;
    }

    // Listens on a port that the system chooses, or on the one given.
    static tcp_peer listen(std::uint16_t port = 0, const place& where = place::current())
    {
        tcp_peer peer(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const int on = 1;
        ::setsockopt(peer.fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        sockaddr_in address = loopback(port);
        if (::bind(peer.fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
            ::listen(peer.fd_, 16) != 0) {
            fail_at(where, "listen");
        }
        return peer;
    }

    // Holds a port that the system chooses, for somebody else (with SO_REUSEADDR) to listen on.
    static tcp_peer reserve(const place& where = place::current())
    {
        tcp_peer peer(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const int on = 1;
        ::setsockopt(peer.fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        sockaddr_in address = loopback(0);
        if (::bind(peer.fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
            fail_at(where, "bind");
        }
        return peer;
    }

    // The endpoint of this end, for zmq_connect().
    std::string endpoint() const
    {
        sockaddr_in address{};
        socklen_t size = sizeof address;
        ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
        return "tcp://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    }

    tcp_peer accept(const place& where = place::current())
    {
        const int fd = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
        if (fd == -1) {
            fail_at(where, "accept");
        }
        return tcp_peer(fd);
    }

    bool write(std::string_view bytes, const place& where = place::current())
    {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) {
                fail_at(where, "write");
                return false;
            }
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }

    // Reads exactly `size` bytes; less only after a reported failure.
    std::string read(std::size_t size, const place& where = place::current())
    {
        std::string bytes(size, '\0');
        std::size_t have = 0;
        while (have < size) {
            const ssize_t got = ::recv(fd_, bytes.data() + have, size - have, 0);
            if (got <= 0) {
                fail_at(where, "read");
                break;
            }
            have += static_cast<std::size_t>(got);
        }
        bytes.resize(have);
        return bytes;
    }

    // True once the other end has closed or reset the connection; bytes before that are dropped. Does not wait.
    bool ended()
    {
        char buffer[4096];
        ssize_t got = 0;
        do {
            got = ::recv(fd_, buffer, sizeof buffer, MSG_DONTWAIT);
        } while (got > 0);
        return got == 0 || errno == ECONNRESET;
    }

    void close()
    {
        if (fd_ != -1) {
            ::close(std::exchange(fd_, -1));
        }
    }

    // Ends the connection with a reset instead of an orderly close.
    void reset()
    {
        const linger now{1, 0};
        ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
        close();
    }

private:
    static sockaddr_in loopback(std::uint16_t port)
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(port);
        return address;
    }

    void set_timeouts() const
    {
        const timeval patience{patience_ms / 1000, 0};
        ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    }

    int fd_ = -1;
};

}  // namespace zlink::test
