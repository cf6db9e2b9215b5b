// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The socket options that udp obeys in addition to those of all transports over IP.
#pragma once

#include "transport/option_rows.hpp"

namespace zlink::transport::udp {

struct udp_options {
    int multicast_hops = 1;      ///< ZMQ_MULTICAST_HOPS: the TTL of multicast datagrams
    bool multicast_loop = true;  ///< ZMQ_MULTICAST_LOOP: receivers on this machine get them as well
};

/// Rows for these options.
extern const option_rows own_options;

}  // namespace zlink::transport::udp
