// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/udp/address_text.hpp"

#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <arpa/inet.h>

namespace zlink::transport::udp {

namespace {

using ip::ip_address;

std::string_view up_to_nul(std::span<const std::byte> octets) noexcept
{
    const std::string_view text(reinterpret_cast<const char*>(octets.data()), octets.size());
    return text.substr(0, text.find('\0'));
}

// A port, or the number of an interface: not 0.
template <class Number>
std::optional<Number> number_in(std::string_view text) noexcept
{
    Number number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || rest != text.data() + text.size() || number == 0) return std::nullopt;
    return number;
}

// Into a text that ends with a NUL, as the system wants it.
template <class Raw>
bool is_literal(int family, std::string_view host, Raw& to) noexcept
{
    char text[INET6_ADDRSTRLEN];
    if (host.size() >= sizeof text) return false;
    std::memcpy(text, host.data(), host.size());
    text[host.size()] = '\0';
    return ::inet_pton(family, text, &to) == 1;
}

std::optional<ip_address> v4_address(std::string_view host, std::uint16_t port) noexcept
{
    sockaddr_in made{};
    made.sin_family = AF_INET;
    made.sin_port = htons(port);
    if (!is_literal(AF_INET, host, made.sin_addr)) return std::nullopt;
    return ip_address::from_sockaddr(reinterpret_cast<const sockaddr*>(&made), sizeof made);
}

std::optional<ip_address> v6_address(std::string_view host, std::uint16_t port) noexcept
{
    sockaddr_in6 made{};
    if (const std::size_t percent = host.find('%'); percent != std::string_view::npos) {
        const auto zone = number_in<std::uint32_t>(host.substr(percent + 1));
        if (!zone) return std::nullopt;
        made.sin6_scope_id = *zone;
        host = host.substr(0, percent);
    }
    made.sin6_family = AF_INET6;
    made.sin6_port = htons(port);
    if (!is_literal(AF_INET6, host, made.sin6_addr)) return std::nullopt;
    return ip_address::from_sockaddr(reinterpret_cast<const sockaddr*>(&made), sizeof made);
}

}  // namespace

std::size_t write_address(const sockaddr* address, socklen_t size, std::span<char, longest_address_text> to) noexcept
{
    const auto known = ip_address::from_sockaddr(address, size);
    if (!known) return 0;
    const ip_address plain = known->to_unmapped();
    const bool v6 = plain.family() == AF_INET6;
    char* at = to.data();
    if (v6) *at++ = '[';
    if (!::inet_ntop(plain.family(), plain.address_bytes().data(), at, INET6_ADDRSTRLEN)) return 0;
    at += std::strlen(at);
    if (plain.scope_id() != 0) {
        *at++ = '%';
        at = std::to_chars(at, to.data() + to.size(), plain.scope_id()).ptr;
    }
    if (v6) *at++ = ']';
    *at++ = ':';
    at = std::to_chars(at, to.data() + to.size(), plain.port()).ptr;
    *at++ = '\0';
    return std::size_t(at - to.data());
}

std::optional<ip_address> read_address(std::span<const std::byte> octets) noexcept
{
    const std::string_view text = up_to_nul(octets);
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto port = number_in<std::uint16_t>(text.substr(colon + 1));
    if (!port) return std::nullopt;
    const std::string_view host = text.substr(0, colon);
    if (host.size() < 2 || host.front() != '[' || host.back() != ']') return v4_address(host, *port);
    return v6_address(host.substr(1, host.size() - 2), *port);
}

}  // namespace zlink::transport::udp
