// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The required identity of a peer, and the names in its certificate.
#pragma once

#include "transport/tls/openssl/handles.hpp"

#include <string>
#include <string_view>

namespace zlink::transport::tls::openssl {

/// The name of a server: of a host, or a numeric address. Empty: any trusted server.
class identity {
public:
    identity() = default;
    /// `verify`: the name is verified. Otherwise the name is only announced (SNI).
    identity(std::string_view host, bool verify);

    /// Sets the name that the handshakes of these connections verify. False: memory is short, or it is not a name (it
    /// begins with a dot).
    [[nodiscard]] bool demand(SSL_CTX* of) const noexcept;
    /// Announces the server's name (SNI).
    void announce(SSL* of) const noexcept;
    /// Of a resumed session: X509_V_OK, or the reason why its earlier certificate would not be accepted now.
    [[nodiscard]] long check_again(SSL* of) const noexcept;
    /// The name that the peer has to have; empty: any.
    [[nodiscard]] const std::string& host() const noexcept { return host_; }

private:
    std::string host_;
    bool is_address_ = false;
    bool verify_ = false;
};

/// "CN=broker,O=Example"
[[nodiscard]] std::string subject_of(X509* certificate);
/// "DNS:broker.example, IP Address:10.0.0.1"; empty: it has none.
[[nodiscard]] std::string alternative_names_of(X509* certificate);

}  // namespace zlink::transport::tls::openssl
