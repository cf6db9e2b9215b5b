// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// OpenSSL's errors in words.
#pragma once

#include "base/errc.hpp"
#include "transport/tls/openssl/handles.hpp"
#include "transport/tls/openssl/identity.hpp"

#include <string>

namespace zlink::transport::tls::openssl {

/// Of the error that this thread's queue has had first, which is emptied: "no start line".
[[nodiscard]] std::string take_reason();

struct failure {
    errc error = errc::none;  ///< access_denied: who the peer is was not accepted, on either side
    std::string words;
};

/// Of a connection that has just failed, in OpenSSL's words with cause and cure behind them. Empties the queue.
[[nodiscard]] failure take_failure(SSL* ssl, const identity& expected);

/// Why a certificate is not accepted, by the number that X509_V_... is, with cause and cure. `certificate` may be null.
[[nodiscard]] std::string words_of_refusal(long why, X509* certificate, const identity& expected);

}  // namespace zlink::transport::tls::openssl
