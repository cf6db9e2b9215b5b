// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// connect, send and recv of the system.
#include "demo/tcp_client.hpp"

#include "support/failure.hpp"

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace zlink::tool::demo {
namespace {

constexpr std::size_t chunk_size = 64 * 1024;

[[noreturn]] void fail(const char* call)
{
    throw failure(fmt::format("plain tcp: {} failed: {}", call, std::strerror(errno)));
}

sockaddr_in parse(const std::string& endpoint)
{
    const std::string_view address = std::string_view(endpoint).substr(endpoint.find("//") + 2);
    const auto colon = address.rfind(':');
    sockaddr_in result{};
    result.sin_family = AF_INET;
    std::uint16_t port = 0;
    std::from_chars(address.data() + colon + 1, address.data() + address.size(), port);
    result.sin_port = htons(port);
    if (inet_pton(AF_INET, std::string(address.substr(0, colon)).c_str(), &result.sin_addr) != 1) {
        throw failure(fmt::format("plain tcp: {} is not an IPv4 endpoint", endpoint));
    }
    return result;
}

}  // namespace

tcp_client::tcp_client(const std::string& endpoint, int timeout_ms)
    : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
{
    if (descriptor_ < 0) {
        fail("socket");
    }
    const sockaddr_in address = parse(endpoint);
    const timeval timeout{timeout_ms / 1000, (timeout_ms % 1000) * 1000};
    const int one = 1;
    setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (::connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        fail("connect");
    }
}

tcp_client::~tcp_client()
{
    ::close(descriptor_);
}

void tcp_client::send(std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t size = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (size < 0) {
            fail("send");
        }
        bytes.remove_prefix(static_cast<std::size_t>(size));
    }
}

std::string tcp_client::receive()
{
    std::string bytes(chunk_size, '\0');
    const ssize_t size = ::recv(descriptor_, bytes.data(), bytes.size(), 0);
    if (size < 0) {
        fail("recv");
    }
    if (size == 0) {
        throw failure("plain tcp: the STREAM socket closed the connection too early");
    }
    bytes.resize(static_cast<std::size_t>(size));
    return bytes;
}

}  // namespace zlink::tool::demo
