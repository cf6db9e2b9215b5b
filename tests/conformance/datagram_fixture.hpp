// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A network of the test's own, and peers that speak udp without a library.
#pragma once

#include "conformance/draft_fixture.hpp"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

namespace zlink::test {

/// A plain socket of udp on the loopback interface.
class datagram_peer {
public:
    datagram_peer() : fd_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_in any{};
        any.sin_family = AF_INET;
        any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(0, ::bind(fd_, reinterpret_cast<const sockaddr*>(&any), sizeof any));
        socklen_t size = sizeof any;
        EXPECT_EQ(0, ::getsockname(fd_, reinterpret_cast<sockaddr*>(&any), &size));
        address = "127.0.0.1:" + std::to_string(ntohs(any.sin_port));
    }
    datagram_peer(const datagram_peer&) = delete;
    datagram_peer& operator=(const datagram_peer&) = delete;
    ~datagram_peer() { ::close(fd_); }

    /// To the address at the end of an endpoint.
    void send(std::string_view octets, const std::string& endpoint) const
    {
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        to.sin_port = htons(std::uint16_t(std::atoi(endpoint.substr(endpoint.rfind(':') + 1).c_str())));
        EXPECT_EQ(ssize_t(octets.size()),
                  ::sendto(fd_, octets.data(), octets.size(), 0, reinterpret_cast<const sockaddr*>(&to), sizeof to));
    }

    /// The next datagram; "(nothing)" if none comes.
    [[nodiscard]] std::string receive() const
    {
        std::string octets(65'536, '\0');
        pollfd ready{fd_, POLLIN, 0};
        if (::poll(&ready, 1, patience_ms) != 1) return "(nothing)";
        const ssize_t n = ::recv(fd_, octets.data(), octets.size(), 0);
        octets.resize(n < 0 ? 0 : std::size_t(n));
        return octets;
    }

    std::string address;  ///< "127.0.0.1:5555"

private:
    int fd_;
};

/// Runs `test` in a network of its own, whose only interface is the loopback; if the system does not permit that, in
/// the usual one.
inline void in_own_network(const std::function<void()>& test)
{
    std::thread alone([&test] {
        if (::unshare(CLONE_NEWNET) == 0) {
            ifreq up{};
            std::string_view("lo").copy(up.ifr_name, sizeof up.ifr_name);
            up.ifr_flags = IFF_UP | IFF_RUNNING;
            const int control = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
            EXPECT_EQ(0, ::ioctl(control, SIOCSIFFLAGS, &up));
            ::close(control);
        }
        test();
    });
    alone.join();
}

/// What zlink_load_counter() says; it may be a moment behind.
inline std::uint64_t counter(std::string_view name)
{
    zlink_load_counter_t row;
    for (std::size_t i = 0; zlink_load_counter(i, &row) == 0; ++i) {
        if (row.name == name) return row.times;
    }
    ADD_FAILURE() << "no counter " << name;
    return 0;
}

}  // namespace zlink::test
