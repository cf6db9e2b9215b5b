// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// PLAIN: the machine of each role.
#include "zmtp/mechanism/plain.hpp"

#include "zmtp/mechanism/plain_client.hpp"
#include "zmtp/mechanism/plain_server.hpp"

#include <span>

namespace zlink::zmtp {

std::unique_ptr<mechanism> make_plain(const local_peer& local)
{
    if (local.security_or_default().as_server) return std::make_unique<plain_server>(local);
    return std::make_unique<plain_client>(local);
}

void append_short(std::vector<std::byte>& out, std::string_view text)
{
    const auto octets = std::as_bytes(std::span(text.substr(0, max_plain_credential)));
    out.push_back(std::byte(octets.size()));
    out.insert(out.end(), octets.begin(), octets.end());
}

}  // namespace zlink::zmtp
