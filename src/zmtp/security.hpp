// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a socket is told of security, as its connections need it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace zlink::crypto {
struct key_pair;
}  // namespace zlink::crypto

namespace zlink::zmtp {

/// With the values of ZMQ_MECHANISM.
enum class mechanism_kind : std::uint8_t { null = 0, plain = 1, curve = 2 };

/// Keys of CURVE. What is secret is shared by all copies.
struct curve_settings {
    /// The secret key, and the public key that goes with it. Null: not set.
    std::shared_ptr<const crypto::key_pair> own;
    std::array<std::byte, 32> public_key{};  ///< as it was set; what a client says it is
    std::array<std::byte, 32> server_key{};  ///< the public key of the server that a client wants
};

/// A plain value. Connections share it and never change it.
struct security_settings {
    mechanism_kind mechanism = mechanism_kind::null;
    bool as_server = false;           ///< announced in the greeting; NULL has no roles
    std::string zap_domain;           ///< empty: NULL asks nobody
    bool zap_enforce_domain = false;  ///< without somebody who answers for the domain, nobody is admitted

    std::string plain_username;  ///< of a client; at most 255 octets each
    std::string plain_password;

    curve_settings curve;

    int oldest_zmtp = 1;  ///< major version; peers that speak an older one stay outside

    /// True: whoever cannot say who he is stays outside, so peers from before ZMTP 3.0 do.
    [[nodiscard]] bool checks_peers() const noexcept
    {
        return mechanism != mechanism_kind::null || !zap_domain.empty();
    }
};

}  // namespace zlink::zmtp
