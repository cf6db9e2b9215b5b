// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The socket options that tls obeys, and wss, which goes over it.
#pragma once

#include "transport/option_rows.hpp"

#include <string>

namespace zlink::transport::tls {

/// As documented for ZMQ_TLS_* in zlink.h; empty: not set. If a file and a text (ZMQ_WSS_*_PEM) are both given, the
/// text is taken.
struct tls_options {
    std::string cert_file;  ///< the certificate, and those between it and its root
    std::string key_file;
    std::string key_password;
    /// the authorities that may have signed the peer's certificate: a file, or a directory of hashed names
    std::string ca_file;
    std::string cert_pem;
    std::string key_pem;
    std::string trust_pem;
    int trust_system = -1;  ///< besides ca_file and trust_pem; -1: if there is neither, of a client's peer
    std::string hostname;   ///< the name that the server's certificate must carry; empty: the endpoint's host
    bool verify = true;     ///< false: any server is accepted
    bool require_client_certificate = false;
    bool request_client_certificate = false;  ///< of a server: for ZAP, which gets an empty one if the client has none

    bool operator==(const tls_options&) const = default;
};

/// Of the option of that name, and of others that set it.
[[nodiscard]] errc set_hostname(const option_row& rule, stream_options& options, const option_input& input);

/// Rows for these options, without those that are set as texts.
extern const option_rows own_options;

}  // namespace zlink::transport::tls
