// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/ip/ip_options.hpp"

#include "base/option_table.hpp"

#ifndef ZMQ_BUILD_DRAFT_API
#define ZMQ_BUILD_DRAFT_API
#endif
#include <zmq.h>

#include <net/if.h>

namespace zlink::transport::ip {

namespace {

using namespace option_table;

errc set_bind_to_device(const option_row&, stream_options& options, const option_input& input)
{
    const bool reset = input.is_null();
    if (!reset && (input.size() < 1 || input.size() > IFNAMSIZ)) {
        return errc::invalid_argument;
    }
    options.change<ip_options>().bind_to_device = input.bytes();
    return errc::none;
}

errc get_bind_to_device(const stream_options& options, const option_output& output)
{
    return output.put_text(options.of<ip_options>().bind_to_device);
}

constexpr option_row table[] = {
    with(ZMQ_BINDTODEVICE, set_bind_to_device, get_bind_to_device),
};

}  // namespace

constinit const option_rows common_options{table};

}  // namespace zlink::transport::ip
