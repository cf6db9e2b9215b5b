// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "support/certificates.hpp"

#include <memory>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

namespace zlink::tool {
namespace {

template <auto Free>
struct freed_by {
    void operator()(auto* object) const noexcept { Free(object); }
};
using certificate_ptr = std::unique_ptr<X509, freed_by<X509_free>>;
using bio_ptr = std::unique_ptr<BIO, freed_by<BIO_free>>;

}  // namespace

std::optional<std::string> certificate_in(std::string_view pem)
{
    const bio_ptr from(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
    const certificate_ptr found(from ? PEM_read_bio_X509(from.get(), nullptr, nullptr, nullptr) : nullptr);
    unsigned char* octets = nullptr;
    const int size = found ? i2d_X509(found.get(), &octets) : -1;
    ERR_clear_error();
    if (size < 0) {
        return std::nullopt;
    }
    std::string der(reinterpret_cast<const char*>(octets), static_cast<std::size_t>(size));
    OPENSSL_free(octets);
    return der;
}

std::string subject_of(std::string_view certificate)
{
    const auto* octets = reinterpret_cast<const unsigned char*>(certificate.data());
    const certificate_ptr known(d2i_X509(nullptr, &octets, static_cast<long>(certificate.size())));
    const bio_ptr to(BIO_new(BIO_s_mem()));
    constexpr unsigned long readable = XN_FLAG_RFC2253 & ~static_cast<unsigned long>(ASN1_STRFLGS_ESC_MSB);
    const bool printed =
        known && to && X509_NAME_print_ex(to.get(), X509_get_subject_name(known.get()), 0, readable) >= 0;
    ERR_clear_error();
    if (!printed) {
        return "";
    }
    char* data = nullptr;
    const long size = BIO_get_mem_data(to.get(), &data);
    return {data, static_cast<std::size_t>(size)};
}

}  // namespace zlink::tool
