// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/tls/openssl/reasons.hpp"

#include <openssl/err.h>
#include <openssl/sslerr.h>
#include <openssl/tls1.h>

#include <cstring>

namespace zlink::transport::tls::openssl {

namespace {

std::string words_of(unsigned long code)
{
    if (ERR_SYSTEM_ERROR(code)) return std::strerror(int(ERR_GET_REASON(code)));
    const char* const reason = ERR_reason_error_string(code);
    return reason ? reason : "error " + std::to_string(code);
}

unsigned long take_first() noexcept
{
    const unsigned long first = ERR_get_error();
    ERR_clear_error();
    return first;
}

// Alerts of a peer that does not accept our certificate, or lack of one.
bool is_about_certificates(int alert) noexcept
{
    switch (alert) {
    case SSL3_AD_BAD_CERTIFICATE:
    case SSL3_AD_UNSUPPORTED_CERTIFICATE:
    case SSL3_AD_CERTIFICATE_REVOKED:
    case SSL3_AD_CERTIFICATE_EXPIRED:
    case SSL3_AD_CERTIFICATE_UNKNOWN:
    case TLS1_AD_UNKNOWN_CA:
    case TLS1_AD_ACCESS_DENIED:
    case TLS13_AD_CERTIFICATE_REQUIRED: return true;
    default: return false;
    }
}

}  // namespace

std::string take_reason()
{
    const unsigned long code = take_first();
    return code == 0 ? "unknown error" : words_of(code);
}

failure take_failure(SSL* ssl)
{
    const unsigned long code = take_first();
    if (code == 0) return {errc::protocol_error, "TLS handshake or record failed"};
    const int reason = ERR_GET_REASON(code);
    if (ERR_GET_LIB(code) == ERR_LIB_SSL && reason == SSL_R_CERTIFICATE_VERIFY_FAILED) {
        const long why = SSL_get_verify_result(ssl);
        return {errc::access_denied,
                std::string("the peer's certificate is not accepted: ") + X509_verify_cert_error_string(why)};
    }
    if (ERR_GET_LIB(code) == ERR_LIB_SSL && reason == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE)
        return {errc::access_denied, words_of(code)};
    if (ERR_GET_LIB(code) == ERR_LIB_SSL && reason >= SSL_AD_REASON_OFFSET) {
        const int alert = reason - SSL_AD_REASON_OFFSET;
        const errc error = is_about_certificates(alert) ? errc::access_denied : errc::protocol_error;
        const char* const words =
            alert == TLS13_AD_CERTIFICATE_REQUIRED ? "certificate required" : SSL_alert_desc_string_long(alert);
        return {error, std::string("the peer refuses: ") + words};
    }
    return {errc::protocol_error, words_of(code)};
}

}  // namespace zlink::transport::tls::openssl
