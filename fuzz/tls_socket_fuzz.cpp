// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A whole socket and its peer over TLS: what the peer says is in records after the handshake, or in place of them. See
// whole_socket.hpp.
#include "transport/tls/tls_options.hpp"
#include "whole_socket.hpp"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <string>

using namespace zlink;

namespace {

/// A certificate that nobody vouches for, and its key.
struct identity {
    std::string certificate, key;

    identity()
    {
        EVP_PKEY* const pair = EVP_EC_gen("P-256");
        X509* const cert = X509_new();
        fuzz::require(pair && cert);
        X509_gmtime_adj(X509_getm_notBefore(cert), -3600);
        X509_gmtime_adj(X509_getm_notAfter(cert), 360'000'000);
        X509_NAME_add_entry_by_txt(X509_get_subject_name(cert), "CN", MBSTRING_ASC,
                                   reinterpret_cast<const unsigned char*>("zlink fuzz"), -1, -1, 0);
        X509_set_issuer_name(cert, X509_get_subject_name(cert));
        X509_set_pubkey(cert, pair);
        fuzz::require(X509_sign(cert, pair, EVP_sha256()) > 0);
        certificate = text([&](BIO* to) { return PEM_write_bio_X509(to, cert); });
        key = text([&](BIO* to) { return PEM_write_bio_PrivateKey(to, pair, nullptr, nullptr, 0, nullptr, nullptr); });
        X509_free(cert);
        EVP_PKEY_free(pair);
    }

private:
    template <class Write>
    static std::string text(Write&& write)
    {
        BIO* const memory = BIO_new(BIO_s_mem());
        fuzz::require(memory && write(memory) == 1);
        char* octets = nullptr;
        const long size = BIO_get_mem_data(memory, &octets);
        std::string all(octets, std::size_t(size));
        BIO_free(memory);
        return all;
    }
};

const identity& own()
{
    static const identity one;
    return one;
}

void of_socket(void* socket)
{
    const int no = 0;
    (void)zmq_setsockopt(socket, ZMQ_TLS_VERIFY, &no, sizeof no);
    (void)zmq_setsockopt(socket, ZMQ_WSS_CERT_PEM, own().certificate.data(), own().certificate.size());
    (void)zmq_setsockopt(socket, ZMQ_WSS_KEY_PEM, own().key.data(), own().key.size());
}

void of_peer(transport::stream_options& options)
{
    auto& tls = options.change<transport::tls::tls_options>();
    tls.verify = false;
    tls.cert_pem = own().certificate;
    tls.key_pem = own().key;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using kind = zmtp::mechanism_kind;
    static constexpr fuzz::way ways[] = {{"tls", kind::null}, {"tls", kind::plain}, {"wss", kind::null}};
    static const fuzz::stream_needs certificates{of_socket, of_peer};
    fuzz::whole_socket(fuzz::input(data, size), ways, certificates).run();
    return 0;
}
