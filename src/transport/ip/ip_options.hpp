// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The socket options that all transports over IP obey.
#pragma once

#include "transport/option_rows.hpp"

#include <string>

namespace zlink::transport::ip {

struct ip_options {
    std::string bind_to_device;  ///< ZMQ_BINDTODEVICE: the name of an interface; empty: any
};

/// Rows for these options.
extern const option_rows common_options;

}  // namespace zlink::transport::ip
