// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/tcp/tcp_endpoint.hpp"

#include <charconv>
#include <utility>

namespace zlink::transport::tcp {

namespace {

enum class side { local, peer };

bool is_alphanumeric(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// The characters of names, literal addresses, ports and their delimiters.
bool is_address_character(char c)
{
    return is_alphanumeric(c) || std::string_view(".-_:%;[]*").find(c) != std::string_view::npos;
}

bool starts_like_peer(std::string_view text)
{
    return !text.empty() && (is_alphanumeric(text.front()) || text.front() == '[' || text.front() == ':');
}

std::optional<std::uint16_t> parse_port(std::string_view text, side where)
{
    if (text == "*" && where == side::local) {
        return std::uint16_t{0};
    }
    std::uint16_t port = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, port);
    if (error != std::errc{} || rest != end) {
        return std::nullopt;
    }
    return port;
}

/// host[%zone]:port. The last colon counts, so that IPv6 addresses may also be written without brackets.
result<host_port> parse_host_port(std::string_view text, side where)
{
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) {
        return errc::invalid_argument;
    }
    const std::optional<std::uint16_t> port = parse_port(text.substr(colon + 1), where);
    if (!port) {
        return errc::invalid_argument;
    }
    std::string_view host = text.substr(0, colon);
    if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
        host = host.substr(1, host.size() - 2);
    }
    std::string_view zone;
    if (const std::size_t percent = host.rfind('%'); percent != std::string_view::npos) {
        zone = host.substr(percent + 1);
        host = host.substr(0, percent);
        if (zone.empty()) {
            return errc::invalid_argument;
        }
    }
    return host_port{std::string(host), std::string(zone), *port};
}

}  // namespace

result<tcp_endpoint> parse_bind(std::string_view address)
{
    if (address.find(';') != std::string_view::npos) {
        return errc::invalid_argument;
    }
    result<host_port> host = parse_host_port(address, side::local);
    if (!host) {
        return host.error();
    }
    return tcp_endpoint{std::move(*host), std::nullopt};
}

result<tcp_endpoint> parse_connect(std::string_view address)
{
    for (const char c : address) {
        if (!is_address_character(c)) {
            return errc::invalid_argument;
        }
    }
    tcp_endpoint parsed;
    if (const std::size_t semicolon = address.rfind(';'); semicolon != std::string_view::npos) {
        result<host_port> source = parse_host_port(address.substr(0, semicolon), side::local);
        if (!source || source->host.empty() || source->host.find_first_of(";[]") != std::string::npos) {
            return errc::invalid_argument;
        }
        parsed.source = std::move(*source);
        address.remove_prefix(semicolon + 1);
    }
    if (!starts_like_peer(address)) {
        return errc::invalid_argument;
    }
    result<host_port> host = parse_host_port(address, side::peer);
    if (!host || host->host.empty() || host->host.find_first_of("*[]") != std::string::npos) {
        return errc::invalid_argument;
    }
    parsed.host = std::move(*host);
    return parsed;
}

}  // namespace zlink::transport::tcp
