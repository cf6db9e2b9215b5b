// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/tls/openssl/identity.hpp"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/x509_vfy.h>

#include <algorithm>

namespace zlink::transport::tls::openssl {

namespace {

// Names are alternative names; the subject of a certificate is only for people.
constexpr unsigned name_rules = X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT;

// True: it is an address. If tcp takes a text for one ("127.1", as inet_aton(3) does), it is written out, as
// certificates have it.
bool make_numeric(std::string& host)
{
    in6_addr parsed;
    if (inet_pton(AF_INET, host.c_str(), &parsed) == 1 || inet_pton(AF_INET6, host.c_str(), &parsed) == 1) return true;
    in_addr v4;
    if (host.find_first_not_of("0123456789abcdefABCDEFxX.") != std::string::npos || inet_aton(host.c_str(), &v4) != 1)
        return false;
    char text[INET_ADDRSTRLEN];
    host = inet_ntop(AF_INET, &v4, text, sizeof text);
    return true;
}

std::string_view view_of(BIO* memory)
{
    char* data = nullptr;
    const long size = BIO_get_mem_data(memory, &data);
    return {data, std::size_t(size)};
}

// Prevents a name from looking like two names, or like another: separators and invisible octets are written as \2c.
std::string escaped(std::string_view name)
{
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (const char octet : name) {
        const auto value = static_cast<unsigned char>(octet);
        if (value < 0x20 || value >= 0x7f || octet == ',' || octet == '"' || octet == '\\') {
            text += {'\\', digits[value >> 4], digits[value & 15]};
        } else {
            text += octet;
        }
    }
    return text;
}

// Null: of another kind. (OpenSSL's own print writes a dot in place of an octet that cannot be printed.)
const char* kind_of_text(int type) noexcept
{
    switch (type) {
    case GEN_DNS: return "DNS:";
    case GEN_EMAIL: return "email:";
    case GEN_URI: return "URI:";
    default: return nullptr;
    }
}

std::string text_of(GENERAL_NAME* name)
{
    int type = 0;
    void* const value = GENERAL_NAME_get0_value(name, &type);
    if (const char* const kind = kind_of_text(type)) {
        const auto* const text = static_cast<const ASN1_STRING*>(value);
        const auto* const octets = reinterpret_cast<const char*>(ASN1_STRING_get0_data(text));
        return kind + escaped({octets, std::size_t(ASN1_STRING_length(text))});
    }
    const bio_ptr to(BIO_new(BIO_s_mem()));
    if (!to || GENERAL_NAME_print(to.get(), name) != 1) return {};
    return escaped(view_of(to.get()));
}

}  // namespace

identity::identity(std::string_view host, bool verify) : host_(host), verify_(verify)
{
    if (host_.ends_with('.') && !host_.starts_with('.')) host_.pop_back();
    is_address_ = make_numeric(host_);
}

bool identity::demand(SSL_CTX* of) const noexcept
{
    if (host_.empty() || !verify_) return true;
    if (host_.starts_with('.')) return false;  // OpenSSL would take all hosts of a domain
    X509_VERIFY_PARAM* const wanted = SSL_CTX_get0_param(of);
    if (is_address_) return X509_VERIFY_PARAM_set1_ip_asc(wanted, host_.c_str()) == 1;
    X509_VERIFY_PARAM_set_hostflags(wanted, name_rules);
    return X509_VERIFY_PARAM_set1_host(wanted, host_.c_str(), host_.size()) == 1;
}

void identity::announce(SSL* of) const noexcept
{
    if (!host_.empty() && !is_address_) (void)SSL_set_tlsext_host_name(of, host_.c_str());
}

long identity::check_again(SSL* of) const noexcept
{
    if (SSL_get_verify_mode(of) == SSL_VERIFY_NONE) return X509_V_OK;
    X509* const peer = SSL_get0_peer_certificate(of);
    if (!peer) return host_.empty() ? X509_V_OK : X509_V_ERR_UNSPECIFIED;
    if (const long then = SSL_get_verify_result(of); then != X509_V_OK) return then;
    if (X509_cmp_current_time(X509_get0_notBefore(peer)) > 0) return X509_V_ERR_CERT_NOT_YET_VALID;
    if (X509_cmp_current_time(X509_get0_notAfter(peer)) < 0) return X509_V_ERR_CERT_HAS_EXPIRED;
    if (host_.empty()) return X509_V_OK;
    if (is_address_) return X509_check_ip_asc(peer, host_.c_str(), 0) == 1 ? X509_V_OK : X509_V_ERR_IP_ADDRESS_MISMATCH;
    return X509_check_host(peer, host_.c_str(), host_.size(), name_rules, nullptr) == 1 ? X509_V_OK
                                                                                        : X509_V_ERR_HOSTNAME_MISMATCH;
}

std::string subject_of(X509* certificate)
{
    const bio_ptr to(BIO_new(BIO_s_mem()));
    constexpr unsigned long readable = XN_FLAG_RFC2253 & ~unsigned(ASN1_STRFLGS_ESC_MSB);
    if (!to || X509_NAME_print_ex(to.get(), X509_get_subject_name(certificate), 0, readable) < 0) return {};
    std::string text(view_of(to.get()));
    // Texts end at a zero for programs that read them.
    std::erase(text, '\0');
    return text;
}

std::string alternative_names_of(X509* certificate)
{
    const names_ptr names(
        static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
    ERR_clear_error();
    if (!names) return {};
    std::string all;
    for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
        const std::string text = text_of(sk_GENERAL_NAME_value(names.get(), i));
        if (!text.empty()) all += (all.empty() ? "" : ", ") + text;
    }
    return all;
}

}  // namespace zlink::transport::tls::openssl
