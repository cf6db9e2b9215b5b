// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/ip/host_port.hpp"

#include <charconv>
#include <optional>

namespace zlink::transport::ip {

namespace {

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

}  // namespace

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

}  // namespace zlink::transport::ip
