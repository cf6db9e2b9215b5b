// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "cli/socket_defaults.hpp"

#include <algorithm>

#include <zlink.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

// Whatever answers passes for ZMTP 1.0, which has no greeting: messages would go to a web server and count as sent.
constexpr int oldest_with_greeting = 2;

// Brackets are for IPv6 addresses alone; in paths of ipc they mean nothing.
bool is_ipv6(const std::string& address)
{
    return address.find('[') != std::string::npos && !address.starts_with("ipc:");
}

}  // namespace

void set_defaults(socket& target, const std::vector<std::vector<std::string>>& addresses)
{
    // Not socket::set(): other libraries don't have it.
    (void)zmq_setsockopt(target.handle(), ZMQ_OLDEST_ZMTP, &oldest_with_greeting, sizeof oldest_with_greeting);
    const bool ipv6 =
        std::ranges::any_of(addresses, [](const auto& list) { return std::ranges::any_of(list, is_ipv6); });
    if (ipv6) {
        target.set(ZMQ_IPV6, 1);
    }
}

}  // namespace zlink::tool
