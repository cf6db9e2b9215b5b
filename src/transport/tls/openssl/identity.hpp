// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whom a peer has to be, and what its certificate calls it.
#pragma once

#include "transport/tls/openssl/handles.hpp"

#include <string>
#include <string_view>

namespace zlink::transport::tls::openssl {

/// The name of a server: of a host, or a numeric address. Empty: any who is trusted.
class identity {
public:
    identity() = default;
    /// `verify`: else the name is announced (SNI) and no more.
    identity(std::string_view host, bool verify);

    /// What the handshakes of these connections look for. False: memory is short, or it is no name (it begins with a dot).
    [[nodiscard]] bool demand(SSL_CTX* of) const noexcept;
    /// Says whom we want to speak to.
    void announce(SSL* of) const noexcept;
    /// Of a resumed session: X509_V_OK, or why the certificate of then would not be accepted now.
    [[nodiscard]] long check_again(SSL* of) const noexcept;
    /// Whom we look for; empty: nobody by name.
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
