// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Rows of the option table: the options of security mechanisms and ZAP. As in libzmq, the option of a mechanism that
// was set last decides the socket's mechanism and role.
#include "socket/option_table.hpp"
#include "socket/options.hpp"

#ifndef ZMQ_BUILD_DRAFT_API
#define ZMQ_BUILD_DRAFT_API
#endif
#include <zlink.h>
#include <zmq.h>

#include <cstdint>

namespace zlink::socket::option_table {

namespace {

using so = socket_options;
using se = engine::security_settings;
using engine::mechanism_kind;

static_assert(int(mechanism_kind::null) == ZMQ_NULL && int(mechanism_kind::plain) == ZMQ_PLAIN);

errc get_mechanism(const socket_options& options, const option_output& output)
{
    return output.put(int(options.security.mechanism));
}

/// A name or a password; its length goes over the wire as one octet. Null: no mechanism.
template <auto Field>
errc set_plain_credential(const row&, socket_options& options, const option_input& input)
{
    if (input.is_null()) {
        choose_mechanism(options, mechanism_kind::null, false);
        return errc::none;
    }
    if (input.size() < 1 || input.size() > UINT8_MAX) {
        return errc::invalid_argument;
    }
    options.security.*Field = input.bytes();
    choose_mechanism(options, mechanism_kind::plain, false);
    return errc::none;
}

/// It cannot be emptied again.
errc set_zap_domain(const row&, socket_options& options, const option_input& input)
{
    if (input.size() < 1 || input.size() > UINT8_MAX) {
        return errc::invalid_argument;
    }
    options.security.zap_domain = input.bytes();
    return errc::none;
}

template <auto Field>
errc get_text(const socket_options& options, const option_output& output)
{
    return output.put_text(options.security.*Field);
}

constexpr row security_table[] = {
    with(ZMQ_MECHANISM, nullptr, get_mechanism),
    with(ZMQ_PLAIN_SERVER, set_server<mechanism_kind::plain>, get_server<mechanism_kind::plain>),
    with(ZMQ_PLAIN_USERNAME, set_plain_credential<&se::plain_username>, get_text<&se::plain_username>),
    with(ZMQ_PLAIN_PASSWORD, set_plain_credential<&se::plain_password>, get_text<&se::plain_password>),
    with(ZMQ_ZAP_DOMAIN, set_zap_domain, get_text<&se::zap_domain>),
    number<&so::security, &se::zap_enforce_domain>(ZMQ_ZAP_ENFORCE_DOMAIN, any),
    number<&so::security, &se::oldest_zmtp>(ZMQ_OLDEST_ZMTP, 1, 3),
};

}  // namespace

constinit const rows security_rows{security_table};

}  // namespace zlink::socket::option_table
