// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The first row whose words occur, and whose scheme fits, counts.
#include "pure/connection_cure.hpp"

#include <array>

namespace zlink::tool {
namespace {

struct row {
    std::string_view scheme;  // empty: each
    std::string_view words;
    std::string_view cure;
};

constexpr std::array rows{
    row{"ipc", "Connection refused", "no socket listens there; start the peer, or check the path"},
    row{"ipc", "No such file", "there is no socket of that name; start the peer, or check the path"},
    row{"ipc", "Permission denied", "this user may not use that socket; see its rights with 'ls -l'"},
    row{"", "Connection refused",
        "nothing listens there; start the peer, or check address and port (a server that is bound to 127.0.0.1 cannot "
        "be reached from other machines)"},
    row{"", "cannot be looked up", "the name is unknown; check its spelling, and DNS with 'getent hosts NAME'"},
    row{"", "timed out", "no answer; a firewall drops packets, or no machine has the address"},
    row{"", "No route to host", "no way there; check the address, the network and its firewalls"},
    row{"", "Network is unreachable", "no way there; check this machine's network"},
    row{"", "Connection reset",
        "the other side broke off; check that a ZeroMQ socket is there, with the same security"},
    row{"", "expired", "renew that certificate, or check the clocks of both machines"},
    row{"", "not yet valid", "check the clocks of both machines"},
};

}  // namespace

std::string cure_of_connect(std::string_view endpoint, std::string_view words)
{
    const std::string_view scheme = endpoint.substr(0, endpoint.find("://"));
    for (const auto& each : rows) {
        if ((each.scheme.empty() || each.scheme == scheme) && words.find(each.words) != std::string_view::npos) {
            return std::string(each.cure);
        }
    }
    return "";
}

}  // namespace zlink::tool
