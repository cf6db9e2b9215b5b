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

// Alerts of a peer that does not accept this side's certificate, or the lack of one.
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

// A text that a peer chose, cut so that the rest still fits into the message.
std::string quoted(std::string text)
{
    constexpr std::size_t longest = 200;
    if (text.size() > longest) text = text.substr(0, longest) + "...";
    return "'" + text + "'";
}

std::string time_of(const ASN1_TIME* when)
{
    const bio_ptr to(BIO_new(BIO_s_mem()));
    if (!to || ASN1_TIME_print(to.get(), when) != 1) return "an unknown time";
    char* data = nullptr;
    const long size = BIO_get_mem_data(to.get(), &data);
    return {data, std::size_t(size)};
}

std::string cure_for_name(X509* certificate, const identity& expected)
{
    const std::string names = certificate ? alternative_names_of(certificate) : std::string{};
    const std::string wanted = quoted(expected.host()) + " is wanted, ";
    if (names.empty()) return wanted + "and it has no names (subjectAltName; a common name does not count)";
    return wanted + "and it is for " + quoted(names) + ": connect by such a name, or give it as ZMQ_TLS_HOSTNAME";
}

// The cause behind OpenSSL's words, and a remedy. Empty: the words say it.
std::string cure_for(long why, X509* certificate, const identity& expected)
{
    const auto subject = [&] { return certificate ? quoted(subject_of(certificate)) : std::string("it"); };
    switch (why) {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
        return "nobody who is trusted here has signed " + subject() +
               ": name its authority's file by ZMQ_TLS_CA_FILE (for a public authority set ZMQ_TLS_TRUST_SYSTEM), or "
               "have the peer send the certificates between";
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
        return subject() + " is vouched for by itself, or by an authority that is not trusted here: name that "
                           "certificate's file by ZMQ_TLS_CA_FILE";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH: return cure_for_name(certificate, expected);
    case X509_V_ERR_CERT_HAS_EXPIRED:
        if (!certificate) return "";
        return "it ended at " + time_of(X509_get0_notAfter(certificate)) + ": the peer needs a new one";
    case X509_V_ERR_CERT_NOT_YET_VALID:
        if (!certificate) return "";
        return "it begins at " + time_of(X509_get0_notBefore(certificate)) + ": is a clock wrong?";
    case X509_V_ERR_INVALID_PURPOSE: return "it is not for this side of a connection (extended key usage)";
    default: return "";
    }
}

// The remedy for a certificate that this side has sent, or lacks.
std::string_view cure_for_alert(int alert) noexcept
{
    switch (alert) {
    case TLS1_AD_UNKNOWN_CA: return ": it does not trust who signed our certificate (its ZMQ_TLS_CA_FILE)";
    case TLS13_AD_CERTIFICATE_REQUIRED: return ": we have shown none (ZMQ_TLS_CERT_FILE, ZMQ_TLS_KEY_FILE)";
    case SSL3_AD_BAD_CERTIFICATE:
    case SSL3_AD_CERTIFICATE_UNKNOWN:
        return ": our certificate is none that it accepts, or not for the name that it looks for";
    case SSL3_AD_CERTIFICATE_EXPIRED: return ": our certificate is out of date";
    case TLS1_AD_PROTOCOL_VERSION: return ": there is no version that both speak (here 1.2 and 1.3)";
    case SSL3_AD_HANDSHAKE_FAILURE:
        return ": there is no cipher, or kind of key, that both know, or it wants a certificate";
    default: return "";
    }
}

// For octets that are not TLS, or if both sides share no version, cipher or kind of key.
std::string cure_for_protocol(int reason, bool server, const carried_protocol& carried)
{
    const auto plain = [&] { return std::string(carried.plain_scheme) + "://"; };
    switch (reason) {
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
        return (server ? ": the client speaks no TLS; does it connect by "
                       : ": the server speaks no TLS; is it bound by ") +
               plain() + "?";
    case SSL_R_HTTP_REQUEST:
    case SSL_R_HTTPS_PROXY_REQUEST:
        return ": the client speaks HTTP without TLS; does it " +
               (carried.name.starts_with("http/") ? "connect by http:// or " + plain() : "mean another endpoint") + "?";
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_VERSION_TOO_LOW: return ": there is no version of TLS that both speak (here 1.2 and 1.3)";
    case SSL_R_NO_SHARED_CIPHER: return ": there is no cipher, or kind of key, that both know";
    default: return "";
    }
}

// The certificate of a handshake that failed because of it. OpenSSL keeps the part of the chain that it has built.
X509* certificate_of(SSL* ssl)
{
    const STACK_OF(X509)* const chain = SSL_get0_verified_chain(ssl);
    return chain && sk_X509_num(chain) > 0 ? sk_X509_value(chain, 0) : SSL_get0_peer_certificate(ssl);
}

}  // namespace

std::string take_reason()
{
    const unsigned long code = take_first();
    return code == 0 ? "unknown error" : words_of(code);
}

std::string words_of_refusal(long why, X509* certificate, const identity& expected)
{
    std::string words = X509_verify_cert_error_string(why);
    const std::string cure = cure_for(why, certificate, expected);
    ERR_clear_error();
    return cure.empty() ? words : words + ": " + cure;
}

failure take_failure(SSL* ssl, const identity& expected, const carried_protocol& carried)
{
    const unsigned long code = take_first();
    if (code == 0) return {errc::protocol_error, "TLS handshake or record failed"};
    if (ERR_GET_LIB(code) != ERR_LIB_SSL) return {errc::protocol_error, words_of(code)};
    const int reason = ERR_GET_REASON(code);
    if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED) {
        return {errc::access_denied, "the peer's certificate is not accepted: " +
                                         words_of_refusal(SSL_get_verify_result(ssl), certificate_of(ssl), expected)};
    }
    if (reason == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE) {
        return {errc::access_denied, words_of(code) + ": ZMQ_TLS_REQUIRE_CLIENT_CERT asks for one, which a client has "
                                                      "by ZMQ_TLS_CERT_FILE and ZMQ_TLS_KEY_FILE"};
    }
    if (reason >= SSL_AD_REASON_OFFSET) {
        const int alert = reason - SSL_AD_REASON_OFFSET;
        const errc error = is_about_certificates(alert) ? errc::access_denied : errc::protocol_error;
        const char* const words =
            alert == TLS13_AD_CERTIFICATE_REQUIRED ? "certificate required" : SSL_alert_desc_string_long(alert);
        return {error, std::string("the peer refuses: ").append(words).append(cure_for_alert(alert))};
    }
    return {errc::protocol_error, words_of(code).append(cure_for_protocol(reason, SSL_is_server(ssl) != 0, carried))};
}

}  // namespace zlink::transport::tls::openssl
