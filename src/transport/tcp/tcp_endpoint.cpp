// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/tcp/tcp_endpoint.hpp"

#include <utility>

namespace zlink::transport::tcp {

namespace {

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

}  // namespace

result<tcp_endpoint> parse_bind(std::string_view address)
{
    if (address.find(';') != std::string_view::npos) {
        return errc::invalid_argument;
    }
    result<host_port> host = ip::parse_host_port(address, ip::side::local);
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
        result<host_port> source = ip::parse_host_port(address.substr(0, semicolon), ip::side::local);
        if (!source || source->host.empty() || source->host.find_first_of(";[]") != std::string::npos) {
            return errc::invalid_argument;
        }
        parsed.source = std::move(*source);
        address.remove_prefix(semicolon + 1);
    }
    if (!starts_like_peer(address)) {
        return errc::invalid_argument;
    }
    result<host_port> host = ip::parse_host_port(address, ip::side::peer);
    if (!host || host->host.empty() || host->host.find_first_of("*[]") != std::string::npos) {
        return errc::invalid_argument;
    }
    parsed.host = std::move(*host);
    return parsed;
}

}  // namespace zlink::transport::tcp
