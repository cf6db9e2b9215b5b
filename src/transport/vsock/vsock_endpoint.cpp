// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/vsock/vsock_endpoint.hpp"

#include <charconv>
#include <optional>
#include <system_error>

namespace zlink::transport::vsock {

namespace {

std::optional<std::uint32_t> parse_number(std::string_view text)
{
    if (text == "*" || text == "-1") return vsock_endpoint::any;
    std::uint32_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, number);
    if (failure != std::errc{} || stopped != end) return {};
    return number;
}

std::string number_text(std::uint32_t number)
{
    return number == vsock_endpoint::any ? "*" : std::to_string(number);
}

}  // namespace

result<vsock_endpoint> parse_bind(std::string_view address)
{
    const std::size_t colon = address.rfind(':');
    if (colon == std::string_view::npos) return errc::invalid_argument;
    const std::string_view machine = address.substr(0, colon);
    const auto cid = machine == "@" ? vsock_endpoint::local_cid : parse_number(machine);
    const auto port = parse_number(address.substr(colon + 1));
    if (!cid || !port) return errc::invalid_argument;
    return vsock_endpoint{*cid, *port};
}

result<vsock_endpoint> parse_connect(std::string_view address)
{
    const result<vsock_endpoint> peer = parse_bind(address);
    if (peer && (peer->cid == vsock_endpoint::any || peer->port == vsock_endpoint::any)) return errc::invalid_argument;
    return peer;
}

std::string to_text(const vsock_endpoint& address)
{
    return "vsock://" + number_text(address.cid) + ':' + number_text(address.port);
}

}  // namespace zlink::transport::vsock
