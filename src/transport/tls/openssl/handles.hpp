// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Owners of OpenSSL's objects. This folder alone includes OpenSSL; it is linked into a module of its own, see
// tls_machine.hpp.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>

namespace zlink::transport::tls::openssl {

template <auto Free>
struct freed_by {
    void operator()(auto* object) const noexcept { Free(object); }
};

using ssl_ptr = std::unique_ptr<SSL, freed_by<SSL_free>>;
using ssl_ctx_ptr = std::unique_ptr<SSL_CTX, freed_by<SSL_CTX_free>>;
using session_ptr = std::unique_ptr<SSL_SESSION, freed_by<SSL_SESSION_free>>;
using bio_ptr = std::unique_ptr<BIO, freed_by<BIO_free>>;
using x509_ptr = std::unique_ptr<X509, freed_by<X509_free>>;
using pkey_ptr = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY_free>>;
using names_ptr = std::unique_ptr<GENERAL_NAMES, freed_by<GENERAL_NAMES_free>>;

}  // namespace zlink::transport::tls::openssl
