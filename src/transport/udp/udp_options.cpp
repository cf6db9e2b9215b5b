// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/udp/udp_options.hpp"

#include "base/option_table.hpp"

#ifndef ZMQ_BUILD_DRAFT_API
#define ZMQ_BUILD_DRAFT_API
#endif
#include <zmq.h>

namespace zlink::transport::udp {

namespace {

using namespace option_table;

constexpr part<udp_options> udp_part;

constexpr option_row table[] = {
    number<udp_part, &udp_options::multicast_hops>(ZMQ_MULTICAST_HOPS, 1),
    number<udp_part, &udp_options::multicast_loop>(ZMQ_MULTICAST_LOOP, any),
};

}  // namespace

constinit const option_rows own_options{table};

}  // namespace zlink::transport::udp
