// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The security settings of a socket, as its connections need them.
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

/// Keys of CURVE. All copies share the secret ones.
struct curve_settings {
    /// The secret key, and the public key that goes with it. Null: not set.
    std::shared_ptr<const crypto::key_pair> own;
    std::array<std::byte, 32> public_key{};  ///< as it was set; a client states it as its own
    std::array<std::byte, 32> server_key{};  ///< the public key of the server that a client wants
};

/// A plain value. Connections share it and never change it.
struct security_settings {
    mechanism_kind mechanism = mechanism_kind::null;
    bool as_server = false;           ///< announced in the greeting; NULL has no roles
    std::string zap_domain;           ///< empty: NULL does not ask the ZAP handler
    bool zap_enforce_domain = false;  ///< if no handler answers for the domain, no peer is admitted

    std::string plain_username;  ///< of a client; at most 255 octets each
    std::string plain_password;

    curve_settings curve;

    int oldest_zmtp = 1;  ///< major version; peers that speak an older one are not admitted

    /// True: a peer that cannot identify itself is not admitted, so peers from before ZMTP 3.0 are not.
    [[nodiscard]] bool checks_peers() const noexcept
    {
        return mechanism != mechanism_kind::null || !zap_domain.empty();
    }
};

}  // namespace zlink::zmtp
