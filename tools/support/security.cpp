// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "support/security.hpp"

#include "support/text.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

namespace zlink::tool {
namespace {

// Socket options are GSSAPI_SERVER and so on; other programs' options are --server-key, --username, --cert ...
constexpr std::array missing{"gssapi"};
constexpr std::array of_tls{"ssl", "cert", "cacert", "key-file", "ca-file", "certificate"};
constexpr std::array spelled_otherwise{
    "curve", "plain",  "zap",    "auth",      "security",  "username",  "user",      "password", "passwd", "server",
    "key",   "public", "secret", "serverkey", "publickey", "secretkey", "mechanism", "encrypt",  "client"};

bool begins_with_one_of(std::string_view name, std::span<const char* const> words)
{
    return std::ranges::any_of(words, [&](const std::string_view word) {
        return name.starts_with(word) && (name.size() == word.size() || name[word.size()] == '-');
    });
}

}  // namespace

std::optional<std::string> refuse_security(std::string_view name, std::string_view shown)
{
    std::string plain = lower(name);
    std::replace(plain.begin(), plain.end(), '_', '-');
    if (plain.starts_with("zmq-")) {
        plain.erase(0, 4);
    }
    if (begins_with_one_of(plain, missing)) {
        return fmt::format("{} belongs to GSSAPI, which zlink doesn't have; CURVE encrypts over tcp:// and "
                           "ipc://: 'zlink keygen', --curve-server, --curve-server-key; TLS over tls://",
                           shown);
    }
    if (begins_with_one_of(plain, of_tls)) {
        return fmt::format(
            "{} isn't known here; certificates are for tls:// endpoints: --tls-ca, --tls-cert, --tls-key, "
            "--tls-host, 'zlink keygen --tls DIR'",
            shown);
    }
    if (begins_with_one_of(plain, spelled_otherwise)) {
        return fmt::format("{} isn't known here; security is given to commands with sockets by --curve-server-key, "
                           "--curve-secret, --plain-user, --auth and others: 'zlink push --help'",
                           shown);
    }
    return std::nullopt;
}

}  // namespace zlink::tool
