// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Peers that are nothing but a tcp connection on which the NULL handshake of ZMTP 3.0 was done by hand. So a process
// can have thousands of them whatever the library under test costs.
#pragma once

#include "harness/fail.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace bench {

// One DEALER's connection.
class raw_peer {
public:
    explicit raw_peer(std::uint16_t port) : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        const timeval patience{10, 0};
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        check(descriptor_ >= 0, "socket");
        check(::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0, "setsockopt");
        check(::connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0, "connect");
        send(greeting());
        (void)receive(64);
        send(ready());
        const std::string header = receive(2);  // a short command: flags, size
        if (header[0] != 4) fail(exit_status::failed, "the library does not answer READY");
        (void)receive(static_cast<unsigned char>(header[1]));
    }

    // Sends a message of one short frame.
    void send_message(const std::string& body) { send(std::string{'\0', static_cast<char>(body.size())} + body); }

private:
    static void check(bool good, const char* call)
    {
        if (!good) fail(exit_status::failed, "a peer's %s: %s", call, std::strerror(errno));
    }

    static std::string greeting()
    {
        std::string octets(64, '\0');
        octets[0] = '\xff';
        octets[9] = '\x7f';
        octets[10] = 3;  // version 3.0
        octets.replace(12, 4, "NULL");
        return octets;
    }

    static std::string ready()
    {
        const std::string body = std::string("\x05READY\x0bSocket-Type") + std::string("\0\0\0\x06", 4) + "DEALER";
        return std::string{'\x04', static_cast<char>(body.size())} + body;
    }

    void send(const std::string& octets)
    {
        check(::send(descriptor_, octets.data(), octets.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(octets.size()),
              "send");
    }

    std::string receive(std::size_t size)
    {
        std::string octets(size, '\0');
        check(::recv(descriptor_, octets.data(), size, MSG_WAITALL) == static_cast<ssize_t>(size), "recv");
        return octets;
    }

    int descriptor_;  // closed by the end of the process
};

}  // namespace bench
