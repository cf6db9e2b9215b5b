// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The common part of an endpoint's connections, as an SSL_CTX.
#pragma once

#include "transport/tls/openssl/handles.hpp"
#include "transport/tls/openssl/identity.hpp"
#include "transport/tls/tls_machine.hpp"

#include <mutex>
#include <string>

namespace zlink::transport::tls::openssl {

class openssl_context final : public context {
public:
    /// May throw std::bad_alloc.
    explicit openssl_context(const context_settings& settings);
    ~openssl_context() override;

    /// The mistake in the options, in words; empty: none. To be called once, before any other function.
    [[nodiscard]] std::string prepare(const tls_options& options);

    [[nodiscard]] machine* make_machine() noexcept override;

    /// Of these connections: the session from the server is not to be resumed again.
    static void forget_session(SSL_CTX* of) noexcept;
    /// The protocol in the TLS of this connection; valid as long as its context.
    [[nodiscard]] static carried_protocol carried_by(const SSL* of) noexcept;

private:
    [[nodiscard]] std::string load(const tls_options& options);
    static int take_session(SSL* of, SSL_SESSION* session);
    static int choose_protocol(SSL* of, const unsigned char** out, unsigned char* out_size, const unsigned char* in,
                               unsigned in_size, void* context);

    const tls::role role_;
    const identity expected_;
    const std::string protocol_;  ///< as ALPN lists it: its length before it
    const std::string plain_scheme_;
    ssl_ctx_ptr ctx_;

    std::mutex mutex_;
    session_ptr session_;  ///< the last one that came from the server
};

}  // namespace zlink::transport::tls::openssl
