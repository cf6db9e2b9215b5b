// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/udp/udp_endpoint.hpp"

namespace zlink::transport::udp {

namespace {

std::string_view without_brackets(std::string_view host) noexcept
{
    const bool has = host.size() >= 2 && host.front() == '[' && host.back() == ']';
    return has ? host.substr(1, host.size() - 2) : host;
}

// Nobody can be sent to at "*", nor at port 0.
bool names_a_peer(const ip::host_port& host) noexcept
{
    return host.port != 0 && host.host != "*";
}

}  // namespace

result<udp_endpoint> parse(std::string_view text, ip::side where)
{
    udp_endpoint parsed;
    if (const std::size_t semicolon = text.rfind(';'); semicolon != std::string_view::npos) {
        parsed.interface = without_brackets(text.substr(0, semicolon));
        if (parsed.interface.empty()) return errc::invalid_argument;
        text.remove_prefix(semicolon + 1);
    }
    auto target = ip::parse_host_port(text, where);
    if (!target || target->host.empty()) return errc::invalid_argument;
    if (where == ip::side::peer && !names_a_peer(*target)) return errc::invalid_argument;
    parsed.target = std::move(*target);
    return parsed;
}

}  // namespace zlink::transport::udp
