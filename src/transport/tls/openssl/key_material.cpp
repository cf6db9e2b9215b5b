// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/tls/openssl/key_material.hpp"

#include "transport/tls/fork_gate.hpp"
#include "transport/tls/openssl/reasons.hpp"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

namespace zlink::transport::tls::openssl {

namespace {

// A text of PEM, and its name in messages. It may hold a key, so it is wiped in the end; copies that were made on the
// way are not.
struct pem_text {
    std::string octets;
    std::string name;
    std::string wrong;  ///< the reason why it could not be read

    pem_text() = default;
    pem_text(pem_text&&) = default;
    pem_text& operator=(pem_text&&) = default;
    ~pem_text() { OPENSSL_cleanse(octets.data(), octets.size()); }

    [[nodiscard]] bio_ptr reader() const { return bio_ptr(BIO_new_mem_buf(octets.data(), int(octets.size()))); }
};

pem_text read_file(const std::string& name)
{
    const fork_gate::pause outside;  // it may be a pipe, or on a file system that is far away
    constexpr std::size_t largest = 4 << 20;
    pem_text text;
    text.name = name;
    const auto failed = [&] {
        text.wrong = "cannot read " + name + ": " + std::strerror(errno);
        return std::move(text);
    };
    const std::unique_ptr<std::FILE, freed_by<std::fclose>> file(std::fopen(name.c_str(), "re"));
    if (!file) return failed();
    char piece[4096];
    while (const std::size_t n = std::fread(piece, 1, sizeof piece, file.get())) {
        text.octets.append(piece, n);
        if (text.octets.size() > largest) {
            errno = EFBIG;
            return failed();
        }
    }
    OPENSSL_cleanse(piece, sizeof piece);
    return std::ferror(file.get()) ? failed() : std::move(text);
}

pem_text text_or_file(const std::string& text, const char* name_of_text, const std::string& file)
{
    if (text.empty()) return read_file(file);
    pem_text given;
    given.octets = text;
    given.name = name_of_text;
    return given;
}

// Replaces OpenSSL's question at the terminal. Null: no password is set.
int give_password(char* to, int room, int, void* password)
{
    const auto& text = *static_cast<const std::string*>(password);
    if (text.empty() || text.size() > std::size_t(room)) return -1;
    std::memcpy(to, text.data(), text.size());
    return int(text.size());
}

int give_none(char*, int, int, void*)
{
    return -1;
}

std::string load_certificates(SSL_CTX* to, const pem_text& text)
{
    const bio_ptr from = text.reader();
    const x509_ptr own(PEM_read_bio_X509_AUX(from.get(), nullptr, give_none, nullptr));
    if (!own) return text.name + " holds no certificate: " + take_reason();
    if (SSL_CTX_use_certificate(to, own.get()) != 1)
        return "the certificate in " + text.name + " cannot be used: " + take_reason();
    while (X509* const next = PEM_read_bio_X509(from.get(), nullptr, give_none, nullptr)) {
        if (SSL_CTX_add0_chain_cert(to, next) != 1) {
            X509_free(next);
            return "a certificate in " + text.name + " cannot be used: " + take_reason();
        }
    }
    ERR_clear_error();  // the end of the text
    return {};
}

std::string load_key(SSL_CTX* to, const pem_text& text, const std::string& password, const std::string& certificate)
{
    const bio_ptr from = text.reader();
    const pkey_ptr key(
        PEM_read_bio_PrivateKey(from.get(), nullptr, give_password, const_cast<std::string*>(&password)));
    if (!key) {
        const bool locked = text.octets.find("ENCRYPTED") != std::string::npos;
        const char* const hint = !locked            ? ""
                                 : password.empty() ? " (it wants a password: ZMQ_TLS_KEY_PASSWORD)"
                                                    : " (wrong password in ZMQ_TLS_KEY_PASSWORD?)";
        return text.name + " holds no key that can be read: " + take_reason() + hint;
    }
    if (SSL_CTX_use_PrivateKey(to, key.get()) == 1 && SSL_CTX_check_private_key(to) == 1) return {};
    ERR_clear_error();
    return "the key in " + text.name + " does not go with the certificate in " + certificate;
}

std::string trust(SSL_CTX* to, const pem_text& text)
{
    const bio_ptr from = text.reader();
    X509_STORE* const store = SSL_CTX_get_cert_store(to);
    int count = 0;
    while (true) {
        const x509_ptr one(PEM_read_bio_X509_AUX(from.get(), nullptr, give_none, nullptr));
        if (!one) break;
        if (X509_STORE_add_cert(store, one.get()) != 1 || SSL_CTX_add_client_CA(to, one.get()) != 1)
            return "a certificate in " + text.name + " cannot be used: " + take_reason();
        ++count;
    }
    std::string reason = take_reason();
    return count != 0 ? std::string{} : text.name + " holds no certificate: " + std::move(reason);
}

bool is_directory(const std::string& name) noexcept
{
    struct stat found {};
    return ::stat(name.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

}  // namespace

std::string load_own(SSL_CTX* to, const tls_options& options)
{
    if (!has_own(options)) {
        const bool has_key = !options.key_pem.empty() || !options.key_file.empty();
        return has_key ? "a key wants a certificate (ZMQ_TLS_CERT_FILE)" : "";
    }
    const pem_text certificate = text_or_file(options.cert_pem, "the certificate's text", options.cert_file);
    if (!certificate.wrong.empty()) return certificate.wrong;
    if (std::string wrong = load_certificates(to, certificate); !wrong.empty()) return wrong;
    // Certificate and key may share a file.
    const bool apart = !options.key_pem.empty() || !options.key_file.empty();
    pem_text key;
    if (apart) key = text_or_file(options.key_pem, "the key's text", options.key_file);
    if (!key.wrong.empty()) return key.wrong;
    return load_key(to, apart ? key : certificate, options.key_password, certificate.name);
}

std::string load_trust(SSL_CTX* to, const tls_options& options)
{
    if (!options.trust_pem.empty() || !options.ca_file.empty()) {
        if (options.trust_pem.empty() && is_directory(options.ca_file)) {
            if (SSL_CTX_load_verify_dir(to, options.ca_file.c_str()) != 1)
                return "cannot use the directory " + options.ca_file + ": " + take_reason();
        } else {
            const pem_text text = text_or_file(options.trust_pem, "the text of trusted certificates", options.ca_file);
            if (!text.wrong.empty()) return text.wrong;
            if (std::string wrong = trust(to, text); !wrong.empty()) return wrong;
        }
    }
    const bool system = options.trust_system == 1 || (options.trust_system == -1 && !has_trust(options));
    if (system && SSL_CTX_set_default_verify_paths(to) != 1)
        return "cannot use the system's certificates: " + take_reason();
    return {};
}

}  // namespace zlink::transport::tls::openssl
