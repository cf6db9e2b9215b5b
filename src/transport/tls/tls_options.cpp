// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/tls/tls_options.hpp"

#include "base/option_table.hpp"

#include <zlink.h>

#include <cstdint>

namespace zlink::transport::tls {

namespace {

using namespace option_table;

constexpr part<tls_options> tls_part;

// A server also has to ask clients for a certificate.
errc set_zap_about_certificate(const option_row& rule, stream_options& options, const option_input& input)
{
    const errc wrong = set_number<tls_part, &tls_options::request_client_certificate>(rule, options, input);
    if (wrong != errc::none) return wrong;
    const bool asks = options.of<tls_options>().request_client_certificate;
    options.zap_about_certificate = asks ? "ZMQ_TLS_ZAP_CLIENT_CERT" : nullptr;
    return errc::none;
}

constexpr option_row zap_about_certificate()
{
    option_row row = number<tls_part, &tls_options::request_client_certificate>(ZMQ_TLS_ZAP_CLIENT_CERT, 0, 1);
    row.set = set_zap_about_certificate;
    return row;
}

constexpr option_row table[] = {
    string<SIZE_MAX, tls_part, &tls_options::cert_file>(ZMQ_TLS_CERT_FILE),
    string<SIZE_MAX, tls_part, &tls_options::key_file>(ZMQ_TLS_KEY_FILE),
    setter(ZMQ_TLS_KEY_PASSWORD, every_type, set_string<SIZE_MAX, tls_part, &tls_options::key_password>),
    string<SIZE_MAX, tls_part, &tls_options::ca_file>(ZMQ_TLS_CA_FILE),
    number<tls_part, &tls_options::trust_system>(ZMQ_TLS_TRUST_SYSTEM, -1, 1),
    with(ZMQ_TLS_HOSTNAME, set_hostname, get_string<tls_part, &tls_options::hostname>),
    number<tls_part, &tls_options::verify>(ZMQ_TLS_VERIFY, 0, 1),
    number<tls_part, &tls_options::require_client_certificate>(ZMQ_TLS_REQUIRE_CLIENT_CERT, 0, 1),
    zap_about_certificate(),
};

}  // namespace

// "." would be no name at all, and so accept any trusted certificate. ".example" would accept every host of a domain.
errc set_hostname(const option_row&, stream_options& options, const option_input& input)
{
    const std::string_view name = input.text();
    if (name.starts_with('.')) return errc::invalid_argument;
    options.change<tls_options>().hostname = name;
    return errc::none;
}

constinit const option_rows own_options{table};

}  // namespace zlink::transport::tls
