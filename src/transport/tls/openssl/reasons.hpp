// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// OpenSSL's errors in words.
#pragma once

#include "base/errc.hpp"
#include "transport/tls/openssl/handles.hpp"

#include <string>

namespace zlink::transport::tls::openssl {

/// Of the error that this thread's queue has had first, which is emptied: "no start line".
[[nodiscard]] std::string take_reason();

struct failure {
    errc error = errc::none;  ///< access_denied: who the peer is was not accepted, on either side
    std::string words;
};

/// Of a connection that has just failed. Empties the queue.
[[nodiscard]] failure take_failure(SSL* ssl);

}  // namespace zlink::transport::tls::openssl
