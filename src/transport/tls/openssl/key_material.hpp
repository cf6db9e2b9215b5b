// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Certificates and keys of an endpoint's options, read into an SSL_CTX.
#pragma once

#include "transport/tls/openssl/handles.hpp"
#include "transport/tls/tls_options.hpp"

#include <string>

namespace zlink::transport::tls::openssl {

// Each returns the mistake, in words that name the file; empty: none.

/// This side's own certificate and key, if there are any.
[[nodiscard]] std::string load_own(SSL_CTX* to, const tls_options& options);
/// The authorities that are trusted.
[[nodiscard]] std::string load_trust(SSL_CTX* to, const tls_options& options);

[[nodiscard]] inline bool has_own(const tls_options& options)
{
    return !options.cert_pem.empty() || !options.cert_file.empty();
}

[[nodiscard]] inline bool has_trust(const tls_options& options)
{
    return !options.trust_pem.empty() || !options.ca_file.empty() || options.trust_system == 1;
}

}  // namespace zlink::transport::tls::openssl
