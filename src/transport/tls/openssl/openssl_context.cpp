// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/tls/openssl/openssl_context.hpp"

#include "transport/tls/openssl/entry.hpp"
#include "transport/tls/openssl/key_material.hpp"
#include "transport/tls/openssl/openssl_machine.hpp"
#include "transport/tls/openssl/reasons.hpp"

#include <openssl/err.h>

#include <string_view>

namespace zlink::transport::tls::openssl {

namespace {

// Sessions of one endpoint are resumed only there: the keys of its tickets are its own.
constexpr std::string_view session_context = "zlink";

std::string as_alpn(std::string_view protocol)
{
    return std::string(1, char(protocol.size())).append(protocol);
}

identity expected_of(const context_settings& settings)
{
    if (settings.role == role::server) return {};
    const tls_options& options = settings.options;
    return {options.hostname.empty() ? settings.host : std::string_view(options.hostname), options.verify};
}

int verify_mode(role as, const tls_options& options)
{
    if (as == role::client) return options.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE;
    if (options.require_client_certificate) return SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
    return has_trust(options) || options.request_client_certificate ? SSL_VERIFY_PEER : SSL_VERIFY_NONE;
}

// Null: nothing. If no authority is named, a certificate from any authority of the system's store would be enough, and
// those issue certificates to everybody.
const char* wrong_with_trust(role as, const tls_options& options) noexcept
{
    if (as == role::client || has_trust(options)) return nullptr;
    if (options.require_client_certificate)
        return "ZMQ_TLS_REQUIRE_CLIENT_CERT wants ZMQ_TLS_CA_FILE, which says who may vouch for clients (or "
               "ZMQ_TLS_TRUST_SYSTEM=1: every authority of this system)";
    if (options.request_client_certificate)
        return "ZMQ_TLS_ZAP_CLIENT_CERT wants ZMQ_TLS_CA_FILE, which says who may vouch for clients (or "
               "ZMQ_TLS_TRUST_SYSTEM=1: every authority of this system)";
    return nullptr;
}

}  // namespace

openssl_context::openssl_context(const context_settings& settings)
    : role_(settings.role),
      expected_(expected_of(settings)),
      protocol_(as_alpn(settings.protocol.name)),
      plain_scheme_(settings.protocol.plain_scheme),
      ctx_(SSL_CTX_new(role_ == role::server ? TLS_server_method() : TLS_client_method()))
{}

openssl_context::~openssl_context()
{
    const entry inside;
    if (inside) {
        session_.reset();
        ctx_.reset();
    } else {
        (void)session_.release();
        (void)ctx_.release();
    }
}

std::string openssl_context::prepare(const tls_options& options)
{
    ERR_clear_error();
    if (!ctx_) return "OpenSSL does not start: " + take_reason();
    SSL_CTX* const ctx = ctx_.get();
    SSL_CTX_set_app_data(ctx, this);
    if (SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION) != 1) return take_reason();
    SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_clear_mode(ctx, SSL_MODE_AUTO_RETRY);
    SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_verify(ctx, verify_mode(role_, options), nullptr);
    if (role_ == role::server) {
        SSL_CTX_set_alpn_select_cb(ctx, choose_protocol, this);
        // tickets alone: nothing is kept for a peer that has gone
        SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
        SSL_CTX_set_num_tickets(ctx, 1);
        const auto* const name = reinterpret_cast<const unsigned char*>(session_context.data());
        SSL_CTX_set_session_id_context(ctx, name, unsigned(session_context.size()));
    } else {
        const auto* const list = reinterpret_cast<const unsigned char*>(protocol_.data());
        if (SSL_CTX_set_alpn_protos(ctx, list, unsigned(protocol_.size())) != 0) return take_reason();
        SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
        SSL_CTX_sess_set_new_cb(ctx, take_session);
        if (!expected_.demand(ctx)) return "the host's name cannot be looked for: " + take_reason();
    }
    return load(options);
}

std::string openssl_context::load(const tls_options& options)
{
    if (role_ == role::server && !has_own(options)) return "a tls endpoint needs a certificate (ZMQ_TLS_CERT_FILE)";
    if (const char* const wrong = wrong_with_trust(role_, options)) return wrong;
    if (std::string wrong = load_own(ctx_.get(), options); !wrong.empty()) return wrong;
    // Named files are read, even if no peer is verified by them.
    const bool names_some = !options.trust_pem.empty() || !options.ca_file.empty();
    if (SSL_CTX_get_verify_mode(ctx_.get()) == SSL_VERIFY_NONE && !names_some) return {};
    return load_trust(ctx_.get(), options);
}

machine* openssl_context::make_machine() noexcept
{
    const entry inside;
    if (!inside) return nullptr;
    const std::lock_guard lock(mutex_);
    return openssl_machine::make(ctx_.get(), role_, expected_, session_.get());
}

int openssl_context::take_session(SSL* of, SSL_SESSION* session)
{
    auto& mine = *static_cast<openssl_context*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(of)));
    const std::lock_guard lock(mine.mutex_);
    mine.session_.reset(session);
    return 1;  // the reference belongs to this context
}

carried_protocol openssl_context::carried_by(const SSL* of) noexcept
{
    const auto& its = *static_cast<const openssl_context*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(of)));
    return {std::string_view(its.protocol_).substr(1), its.plain_scheme_};
}

void openssl_context::forget_session(SSL_CTX* of) noexcept
{
    auto& mine = *static_cast<openssl_context*>(SSL_CTX_get_app_data(of));
    const std::lock_guard lock(mine.mutex_);
    mine.session_.reset();
}

// Optional: a client that offers other protocols, or none, is served all the same.
int openssl_context::choose_protocol(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in,
                                     unsigned in_size, void* context)
{
    const std::string& ours = static_cast<const openssl_context*>(context)->protocol_;
    const auto* const list = reinterpret_cast<const unsigned char*>(ours.data());
    unsigned char* chosen = nullptr;
    if (SSL_select_next_proto(&chosen, out_size, list, unsigned(ours.size()), in, in_size) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_NOACK;
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

}  // namespace zlink::transport::tls::openssl
