// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/wss/wss_options.hpp"

#include "base/option_table.hpp"
#include "transport/tls/tls_options.hpp"

#ifndef ZMQ_BUILD_DRAFT_API
#define ZMQ_BUILD_DRAFT_API
#endif
#include <zmq.h>

#include <cstdint>

namespace zlink::transport::wss {

namespace {

using namespace option_table;

using options = tls::tls_options;

constexpr part<options> below;

constexpr option_row table[] = {
    setter(ZMQ_WSS_KEY_PEM, every_type, set_string<SIZE_MAX, below, &options::key_pem>),
    setter(ZMQ_WSS_CERT_PEM, every_type, set_string<SIZE_MAX, below, &options::cert_pem>),
    setter(ZMQ_WSS_TRUST_PEM, every_type, set_string<SIZE_MAX, below, &options::trust_pem>),
    setter(ZMQ_WSS_HOSTNAME, every_type, tls::set_hostname),
    number<below, &options::trust_system>(ZMQ_WSS_TRUST_SYSTEM, 0, 1),
};

}  // namespace

constinit const option_rows own_options{table};

}  // namespace zlink::transport::wss
