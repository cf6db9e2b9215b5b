// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// OpenSSL's errors in words.
#pragma once

#include "base/errc.hpp"
#include "transport/tls/openssl/handles.hpp"
#include "transport/tls/openssl/identity.hpp"
#include "transport/tls/tls_machine.hpp"

#include <string>

namespace zlink::transport::tls::openssl {

/// The words of the first error in this thread's queue, which is emptied: "no start line".
[[nodiscard]] std::string take_reason();

struct failure {
    errc error = errc::none;  ///< access_denied: the identity of the peer was not accepted, on either side
    std::string words;
};

/// The failure of a connection that has just failed, in OpenSSL's words with cause and remedy behind them. Empties the
/// queue. `carried`: the protocol in that connection's TLS.
[[nodiscard]] failure take_failure(SSL* ssl, const identity& expected, const carried_protocol& carried);

/// The reason why a certificate is not accepted, with cause and remedy. `why` is the number X509_V_...; `certificate`
/// may be null.
[[nodiscard]] std::string words_of_refusal(long why, X509* certificate, const identity& expected);

}  // namespace zlink::transport::tls::openssl
