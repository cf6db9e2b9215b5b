// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Rows of the option table: the options of patterns.
#include "socket/option_table.hpp"
#include "socket/options.hpp"

#ifndef ZMQ_BUILD_DRAFT_API
#define ZMQ_BUILD_DRAFT_API
#endif
#include <zmq.h>

namespace zlink::socket::option_table {

namespace {

using so = socket_options;
using po = pattern::pattern_options;

/// Of any length, as in libzmq: it never goes over the wire.
errc set_connect_routing_id(const row&, socket_options& options, const option_input& input)
{
    if (input.size() < 1) {
        return errc::invalid_argument;
    }
    options.connect_routing_id = input.bytes();
    return errc::none;
}

/// The two verbosities overwrite one another: VERBOSE is about subscriptions alone, VERBOSER about both directions.
template <bool BothDirections>
errc set_xpub_verbosity(const row& rule, socket_options& options, const option_input& input)
{
    const errc error = set_number<&so::pattern, &po::xpub_verbose>(rule, options, input);
    if (error == errc::none) {
        options.pattern.xpub_verboser = BothDirections && options.pattern.xpub_verbose;
    }
    return error;
}

errc set_xpub_manual_last_value(const row& rule, socket_options& options, const option_input& input)
{
    const errc error = set_number<&so::pattern, &po::xpub_manual>(rule, options, input);
    if (error == errc::none) {
        options.pattern.xpub_manual_last_value = options.pattern.xpub_manual;
    }
    return error;
}

errc set_xpub_manual(const row& rule, socket_options& options, const option_input& input)
{
    const errc error = set_number<&so::pattern, &po::xpub_manual>(rule, options, input);
    if (error == errc::none && !options.pattern.xpub_manual) {
        options.pattern.xpub_manual_last_value = false;
    }
    return error;
}

using enum socket_type;

constexpr socket_types publishers{pub, xpub};
constexpr socket_types routers{router, rep};  // REP takes the same ones as ROUTER, as in libzmq

constexpr row pattern_table[] = {
    at_once(number<&so::pattern, &po::invert_matching>(ZMQ_INVERT_MATCHING, any)),
    setter(ZMQ_DISCONNECT_MSG, every_type, set_text<&so::pattern, &po::disconnect_message>, true),

    // Request-reply
    pattern_number<&so::pattern, &po::req_relaxed>(ZMQ_REQ_RELAXED, {req}),
    pattern_number<&so::pattern, &po::req_correlate>(ZMQ_REQ_CORRELATE, {req}),
    pattern_number<&so::pattern, &po::probe_router>(ZMQ_PROBE_ROUTER, routers | socket_types{req, dealer}),
    pattern_number<&so::pattern, &po::router_mandatory>(ZMQ_ROUTER_MANDATORY, routers),
    pattern_number<&so::pattern, &po::router_handover>(ZMQ_ROUTER_HANDOVER, routers),
    pattern_number<&so::pattern, &po::router_raw>(ZMQ_ROUTER_RAW, routers),
    {ZMQ_ROUTER_NOTIFY, routers, 0, ZMQ_NOTIFY_CONNECT | ZMQ_NOTIFY_DISCONNECT,
     set_number<&so::pattern, &po::router_notify>, get_number<&so::pattern, &po::router_notify>, true},
    setter(ZMQ_CONNECT_ROUTING_ID, routers | socket_types{stream}, set_connect_routing_id),
    pattern_number<&so::pattern, &po::stream_notify>(ZMQ_STREAM_NOTIFY, socket_types{stream}, 1),

    // Publish-subscribe
    setter(ZMQ_XPUB_VERBOSE, publishers, set_xpub_verbosity<false>, true),
    setter(ZMQ_XPUB_VERBOSER, publishers, set_xpub_verbosity<true>, true),
    pattern_number<&so::pattern, &po::xpub_nodrop>(ZMQ_XPUB_NODROP, types_that(&socket_traits::publishes)),
    setter(ZMQ_XPUB_MANUAL, publishers, set_xpub_manual, true),
    setter(ZMQ_XPUB_MANUAL_LAST_VALUE, publishers, set_xpub_manual_last_value, true),
    setter(ZMQ_XPUB_WELCOME_MSG, publishers, set_text<&so::pattern, &po::xpub_welcome_msg>, true),
    pattern_number<&so::pattern, &po::only_first_subscribe>(ZMQ_ONLY_FIRST_SUBSCRIBE, publishers | socket_types{xsub}),
    pattern_number<&so::pattern, &po::xsub_verbose_unsubscribe>(ZMQ_XSUB_VERBOSE_UNSUBSCRIBE, {xsub}),
};

}  // namespace

constinit const rows pattern_rows{pattern_table};

}  // namespace zlink::socket::option_table
