// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "support/trial_certificates.hpp"

#include "support/failure.hpp"

#include <memory>
#include <utility>

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <arpa/inet.h>

namespace zlink::tool {
namespace {

constexpr long days_valid = 30;

template <auto Free>
struct freed_by {
    void operator()(auto* object) const noexcept { Free(object); }
};
using key_ptr = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY_free>>;
using certificate_ptr = std::unique_ptr<X509, freed_by<X509_free>>;
using bio_ptr = std::unique_ptr<BIO, freed_by<BIO_free>>;

void check(bool done)
{
    if (!done) {
        const char* const reason = ERR_reason_error_string(ERR_get_error());
        throw failure(
            fmt::format("the certificates could not be made: {}", reason ? reason : "OpenSSL does not say why"));
    }
}

key_ptr new_key()
{
    key_ptr key(EVP_EC_gen("P-256"));
    check(key != nullptr);
    return key;
}

void add_extension(X509* to, X509* issuer, int kind, const std::string& value)
{
    X509V3_CTX about{};
    X509V3_set_ctx(&about, issuer, to, nullptr, nullptr, 0);
    X509_EXTENSION* const made = X509V3_EXT_conf_nid(nullptr, &about, kind, value.c_str());
    check(made != nullptr);
    const bool added = X509_add_ext(to, made, -1) == 1;
    X509_EXTENSION_free(made);
    check(added);
}

// "DNS:localhost,IP:127.0.0.1"
std::string names_of(const std::vector<std::string>& hosts)
{
    std::string all;
    for (const auto& host : hosts) {
        in6_addr parsed;
        const bool numeric =
            inet_pton(AF_INET, host.c_str(), &parsed) == 1 || inet_pton(AF_INET6, host.c_str(), &parsed) == 1;
        // What would begin another entry is not a name of a host.
        if (host.empty() || host.find_first_of(",;= ") != std::string::npos) {
            throw usage_failure(fmt::format("--host '{}' is not a name of a host", host));
        }
        all += fmt::format("{}{}:{}", all.empty() ? "" : ",", numeric ? "IP" : "DNS", host);
    }
    return all;
}

certificate_ptr new_certificate(const std::string& name, EVP_PKEY* key)
{
    certificate_ptr made(X509_new());
    unsigned char number[16];
    check(made != nullptr && RAND_bytes(number, sizeof number) == 1);
    number[0] &= 0x7f;  // positive
    BIGNUM* const serial = BN_bin2bn(number, sizeof number, nullptr);
    check(serial != nullptr);
    const bool numbered = BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(made.get())) != nullptr;
    BN_free(serial);
    X509_NAME* const subject = X509_get_subject_name(made.get());
    const auto* const text = reinterpret_cast<const unsigned char*>(name.c_str());
    check(numbered && X509_set_version(made.get(), X509_VERSION_3) == 1 &&
          X509_gmtime_adj(X509_getm_notBefore(made.get()), -60) != nullptr &&
          X509_time_adj_ex(X509_getm_notAfter(made.get()), days_valid, 0, nullptr) != nullptr &&
          X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, text, -1, -1, 0) == 1 &&
          X509_set_pubkey(made.get(), key) == 1);
    return made;
}

void sign(X509* what, X509* by, EVP_PKEY* key)
{
    check(X509_set_issuer_name(what, X509_get_subject_name(by)) == 1 && X509_sign(what, key, EVP_sha256()) > 0);
}

secret pem_of(X509* certificate, EVP_PKEY* key)
{
    const bio_ptr to(BIO_new(BIO_s_mem()));
    check(to != nullptr);
    check(certificate ? PEM_write_bio_X509(to.get(), certificate) == 1
                      : PEM_write_bio_PKCS8PrivateKey(to.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
    char* data = nullptr;
    const long size = BIO_get_mem_data(to.get(), &data);
    return secret(std::string(data, static_cast<std::size_t>(size)));
}

}  // namespace

std::vector<trial_file> make_trial_certificates(const std::vector<std::string>& hosts)
{
    const key_ptr authority_key = new_key();
    const certificate_ptr authority = new_certificate("zlink trial authority", authority_key.get());
    X509* const ca = authority.get();
    add_extension(ca, ca, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
    add_extension(ca, ca, NID_key_usage, "critical,keyCertSign,cRLSign");
    add_extension(ca, ca, NID_subject_key_identifier, "hash");
    sign(authority.get(), authority.get(), authority_key.get());

    std::vector<trial_file> files;
    files.push_back({"ca.pem", pem_of(authority.get(), nullptr), false});
    const auto issue = [&](const std::string& name, int kind, const std::string& names) {
        const key_ptr key = new_key();
        const certificate_ptr made = new_certificate("zlink trial " + name, key.get());
        add_extension(made.get(), ca, NID_basic_constraints, "critical,CA:FALSE");
        add_extension(made.get(), ca, NID_subject_key_identifier, "hash");
        add_extension(made.get(), ca, NID_authority_key_identifier, "keyid:always");
        add_extension(made.get(), ca, NID_ext_key_usage, kind == NID_server_auth ? "serverAuth" : "clientAuth");
        if (!names.empty()) {
            add_extension(made.get(), ca, NID_subject_alt_name, names);
        }
        sign(made.get(), authority.get(), authority_key.get());
        files.push_back({name + ".pem", pem_of(made.get(), nullptr), false});
        files.push_back({name + ".key", pem_of(nullptr, key.get()), true});
    };
    issue("server", NID_server_auth, names_of(hosts));
    issue("client", NID_client_auth, "");
    return files;
}

}  // namespace zlink::tool
