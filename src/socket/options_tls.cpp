// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Rows of the option table: certificates and names of tls endpoints, and libzmq's draft options of wss, which have the
// same meaning.
#include "socket/option_table.hpp"
#include "socket/option_values.hpp"
#include "socket/options.hpp"
#include "transport/tls/tls_options.hpp"

#ifndef ZMQ_BUILD_DRAFT_API
#define ZMQ_BUILD_DRAFT_API
#endif
#include <zlink.h>
#include <zmq.h>

namespace zlink::socket::option_table {

namespace {

using transport::tls::tls_options;

template <auto Field>
errc set_string(const row&, socket_options& options, const option_input& input)
{
    options.stream.change<tls_options>().*Field = input.text();
    return errc::none;
}

template <auto Field>
errc get_string(const socket_options& options, const option_output& output)
{
    return output.put_text(options.stream.of<tls_options>().*Field);
}

template <auto Field>
constexpr row text(int option)
{
    return with(option, set_string<Field>, get_string<Field>);
}

// "." would be no name at all, and so accept any trusted certificate. ".example" would accept every host of a domain.
errc set_hostname(const row&, socket_options& options, const option_input& input)
{
    const std::string_view name = input.text();
    if (name.starts_with('.')) return errc::invalid_argument;
    options.stream.change<tls_options>().hostname = name;
    return errc::none;
}

using so = socket_options;
using st = transport::stream_options;
using tls = tls_options;

// A server also has to ask clients for a certificate.
errc set_zap_about_certificate(const row& rule, socket_options& options, const option_input& input)
{
    const errc wrong = set_number<&so::stream, part<tls>{}, &tls::request_client_certificate>(rule, options, input);
    if (wrong != errc::none) return wrong;
    return set_number<&so::stream, &st::zap_about_certificate>(rule, options, input);
}

constexpr row zap_about_certificate = {ZMQ_TLS_ZAP_CLIENT_CERT,
                                       every_type,
                                       0,
                                       1,
                                       set_zap_about_certificate,
                                       get_number<&so::stream, &st::zap_about_certificate>,
                                       false};

constexpr row table[] = {
    text<&tls::cert_file>(ZMQ_TLS_CERT_FILE),
    text<&tls::key_file>(ZMQ_TLS_KEY_FILE),
    setter(ZMQ_TLS_KEY_PASSWORD, every_type, set_string<&tls::key_password>),
    text<&tls::ca_file>(ZMQ_TLS_CA_FILE),
    number<&so::stream, part<tls>{}, &tls::trust_system>(ZMQ_TLS_TRUST_SYSTEM, -1, 1),
    with(ZMQ_TLS_HOSTNAME, set_hostname, get_string<&tls::hostname>),
    number<&so::stream, part<tls>{}, &tls::verify>(ZMQ_TLS_VERIFY, 0, 1),
    number<&so::stream, part<tls>{}, &tls::require_client_certificate>(ZMQ_TLS_REQUIRE_CLIENT_CERT, 0, 1),
    zap_about_certificate,

    setter(ZMQ_WSS_KEY_PEM, every_type, set_string<&tls::key_pem>),
    setter(ZMQ_WSS_CERT_PEM, every_type, set_string<&tls::cert_pem>),
    setter(ZMQ_WSS_TRUST_PEM, every_type, set_string<&tls::trust_pem>),
    setter(ZMQ_WSS_HOSTNAME, every_type, set_hostname),
    number<&so::stream, part<tls>{}, &tls::trust_system>(ZMQ_WSS_TRUST_SYSTEM, 0, 1),
};

}  // namespace

constinit const rows tls_rows{table};

}  // namespace zlink::socket::option_table
