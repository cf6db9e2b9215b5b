// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The options of wss alone: libzmq's draft options, which set options of tls, the transport below it. With ZLINK_TLS.
#pragma once

#include "transport/option_rows.hpp"

namespace zlink::transport::wss {

extern const option_rows own_options;

}  // namespace zlink::transport::wss
