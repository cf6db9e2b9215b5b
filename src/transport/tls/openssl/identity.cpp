#include "transport/tls/openssl/identity.hpp"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/x509_vfy.h>

#include <algorithm>

namespace zlink::transport::tls::openssl {

namespace {

// Names are alternative names; what a certificate calls its subject is for people.
constexpr unsigned name_rules = X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT;

// True: it is an address. What tcp takes for one ("127.1", as inet_aton(3) does) is written out, as certificates have it.
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

std::string text_of(BIO* memory)
{
    char* data = nullptr;
    const long size = BIO_get_mem_data(memory, &data);
    std::string text(data, std::size_t(size));
    // Texts end at a zero for programs that read them.
    std::erase(text, '\0');
    return text;
}

// "DNS:name", where a name that could be taken for two of them, or for the end of a line, stands in quotation marks.
std::string quoted_if_need_be(std::string name)
{
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    const auto needs = [&](char c) { return c == ',' || c == '"' || c == '\\' || is_control(c); };
    if (std::none_of(name.begin(), name.end(), needs)) return name;
    const std::size_t value = name.find(':') + 1;
    std::string quoted = name.substr(0, value) + '"';
    for (const char c : name.substr(value)) {
        if (is_control(c)) {
            constexpr const char* digits = "0123456789abcdef";
            quoted += {'\\', 'x', digits[static_cast<unsigned char>(c) >> 4], digits[c & 15]};
            continue;
        }
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted + '"';
}

}  // namespace

identity::identity(std::string_view host, bool verify) : host_(host), verify_(verify)
{
    if (host_.ends_with('.')) host_.pop_back();
    is_address_ = make_numeric(host_);
}

bool identity::demand(SSL_CTX* of) const noexcept
{
    if (host_.empty() || !verify_) return true;
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
    return text_of(to.get());
}

std::string alternative_names_of(X509* certificate)
{
    const names_ptr names(
        static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
    ERR_clear_error();
    if (!names) return {};
    std::string all;
    for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
        const bio_ptr to(BIO_new(BIO_s_mem()));
        if (!to || GENERAL_NAME_print(to.get(), sk_GENERAL_NAME_value(names.get(), i)) != 1) continue;
        all += (all.empty() ? "" : ", ") + quoted_if_need_be(text_of(to.get()));
    }
    return all;
}

}  // namespace zlink::transport::tls::openssl
