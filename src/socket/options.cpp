// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The option table. A row has the socket types that have the option, its range, its place, and whether it can be
// read. Ranges and sizes are those of libzmq 4.3.5, including its laxness where programs may count on it.
// Rows of connections, patterns and security are in files of their own, and those of single transports in the
// transports' folders. Options of GSSAPI can neither be set nor read.
#include "socket/options.hpp"

#include "base/last_error.hpp"
#include "socket/context_options.hpp"
#include "socket/option_table.hpp"
#include "transport/option_rows.hpp"

#ifndef ZMQ_BUILD_DRAFT_API
#define ZMQ_BUILD_DRAFT_API
#endif
#include <zlink.h>
#include <zmq.h>

#include <cstdint>
#include <limits>
#include <new>
#include <optional>

namespace zlink::socket {

using namespace option_table;

namespace {

errc set_routing_id(const row&, socket_options& options, const option_input& input)
{
    if (input.size() < 1 || input.size() > UINT8_MAX) {
        return errc::invalid_argument;
    }
    options.routing_id = input.bytes();
    return errc::none;
}

errc get_routing_id(const socket_options& options, const option_output& output)
{
    return output.put_bytes(options.routing_id.data(), options.routing_id.size());
}

errc get_type(const socket_options& options, const option_output& output)
{
    return output.put(int(options.type));
}

errc get_thread_safe(const socket_options& options, const option_output& output)
{
    return output.put_in_room(int(options.shared));
}

template <std::int64_t socket_options::*Field>
errc set_octets(const row&, socket_options& options, const option_input& input)
{
    // Two such marks may be added.
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 2;
    const auto value = input.as<std::int64_t>();
    if (!value || *value < 0 || *value > most) {
        tell_failure("a mark in bytes is an int64_t, 0 (none) to 2^62 - 1");
        return errc::invalid_argument;
    }
    options.*Field = *value;
    return errc::none;
}

// What zmq_setsockopt calls the rules. None: as the type does.
constexpr int by_type = ZLINK_BY_TYPE;
static_assert(int(pipe::when_full::block) == ZLINK_BLOCK && int(pipe::when_full::drop_newest) == ZLINK_DROP_NEWEST &&
              int(pipe::when_full::drop_oldest) == ZLINK_DROP_OLDEST);

// None: it is no rule, which the sentence says.
std::optional<int> rule_in(const row& of, const option_input& input, const char* sentence)
{
    const auto value = input.as<int>();
    if (value && *value >= of.lowest && *value <= of.highest) return value;
    tell_failure(sentence);
    return std::nullopt;
}

errc set_on_full(const row& of, socket_options& options, const option_input& input)
{
    const auto value =
        rule_in(of, input, "ZLINK_ON_FULL is ZLINK_BY_TYPE, ZLINK_BLOCK, ZLINK_DROP_NEWEST or ZLINK_DROP_OLDEST");
    if (!value) return errc::invalid_argument;
    options.pattern.on_full.reset();
    if (*value != by_type) options.pattern.on_full = pipe::when_full(*value);
    return errc::none;
}

errc get_on_full(const socket_options& options, const option_output& output)
{
    return output.put(options.pattern.on_full ? int(*options.pattern.on_full) : by_type);
}

errc set_on_full_receive(const row& of, socket_options& options, const option_input& input)
{
    const auto value =
        rule_in(of, input, "ZLINK_ON_FULL_RECEIVE is ZLINK_BLOCK, ZLINK_DROP_NEWEST or ZLINK_DROP_OLDEST");
    if (!value) return errc::invalid_argument;
    options.on_full_receive = pipe::when_full(*value);
    return errc::none;
}

errc get_on_full_receive(const socket_options& options, const option_output& output)
{
    return output.put(int(options.on_full_receive));
}

// Not those whose messages are requests, replies or subscriptions, which both sides count on; nor those of octets and
// datagrams.
constexpr socket_types drop_both_ways{socket_type::pair,   socket_type::dealer, socket_type::router,
                                      socket_type::server, socket_type::client, socket_type::peer,
                                      socket_type::channel};
constexpr socket_types drop_sent = drop_both_ways | socket_types{socket_type::pub, socket_type::xpub, socket_type::push,
                                                                 socket_type::radio, socket_type::scatter};
constexpr socket_types drop_received =
    drop_both_ways |
    socket_types{socket_type::sub, socket_type::xsub, socket_type::pull, socket_type::dish, socket_type::gather};

using so = socket_options;

constexpr std::size_t longest_name = sizeof(zlink_stats_t::name) - 1;

// The numbers that programs know.
static_assert(int(socket_type::pair) == ZMQ_PAIR && int(socket_type::pub) == ZMQ_PUB &&
              int(socket_type::sub) == ZMQ_SUB && int(socket_type::req) == ZMQ_REQ &&
              int(socket_type::rep) == ZMQ_REP && int(socket_type::dealer) == ZMQ_DEALER &&
              int(socket_type::router) == ZMQ_ROUTER && int(socket_type::pull) == ZMQ_PULL &&
              int(socket_type::push) == ZMQ_PUSH && int(socket_type::xpub) == ZMQ_XPUB &&
              int(socket_type::xsub) == ZMQ_XSUB && int(socket_type::stream) == ZMQ_STREAM &&
              int(socket_type::server) == ZMQ_SERVER && int(socket_type::client) == ZMQ_CLIENT &&
              int(socket_type::radio) == ZMQ_RADIO && int(socket_type::dish) == ZMQ_DISH &&
              int(socket_type::gather) == ZMQ_GATHER && int(socket_type::scatter) == ZMQ_SCATTER &&
              int(socket_type::dgram) == ZMQ_DGRAM && int(socket_type::peer) == ZMQ_PEER &&
              int(socket_type::channel) == ZMQ_CHANNEL);

constexpr row socket_table[] = {
    at_once(number<&so::sndhwm>(ZMQ_SNDHWM, 0)),
    at_once(number<&so::rcvhwm>(ZMQ_RCVHWM, 0)),
    at_once(with(ZLINK_SNDHWM_BYTES, set_octets<&so::sndhwm_bytes>, get_wide<&so::sndhwm_bytes>)),
    at_once(with(ZLINK_RCVHWM_BYTES, set_octets<&so::rcvhwm_bytes>, get_wide<&so::rcvhwm_bytes>)),
    {ZLINK_ON_FULL, drop_sent, ZLINK_BY_TYPE, ZLINK_DROP_OLDEST, set_on_full, get_on_full, true},
    {ZLINK_ON_FULL_RECEIVE, drop_received, ZLINK_BLOCK, ZLINK_DROP_OLDEST, set_on_full_receive, get_on_full_receive,
     false},
    at_once(number<&so::linger>(ZMQ_LINGER, -1)),
    at_once(number<&so::sndtimeo>(ZMQ_SNDTIMEO, -1)),
    at_once(number<&so::rcvtimeo>(ZMQ_RCVTIMEO, -1)),
    with(ZMQ_AFFINITY, set_wide<&so::affinity>, get_wide<&so::affinity>),
    with(ZMQ_ROUTING_ID, set_routing_id, get_routing_id),
    number<&so::conflate>(ZMQ_CONFLATE, 0, 1),
    number<&so::shm_borrow>(ZLINK_SHM_BORROW, -1, 1),
    at_once(string<longest_name, &so::name>(ZLINK_NAME)),

    // Of transports that are not built: a libzmq without them keeps these, and does not know those of norm and vmci
    number<&so::loopback_fastpath>(ZMQ_LOOPBACK_FASTPATH, any),
    number<&so::rate>(ZMQ_RATE, 1),
    number<&so::recovery_ivl>(ZMQ_RECOVERY_IVL, 0),
    number<&so::multicast_maxtpdu>(ZMQ_MULTICAST_MAXTPDU, 1),

    // Constants, or set by the socket itself
    with(ZMQ_TYPE, nullptr, get_type),
    with(ZMQ_THREAD_SAFE, nullptr, get_thread_safe),
    with(ZLINK_SHARED, nullptr, get_thread_safe),
};

const row* find(int option)
{
    for (const rows some : {
             rows(socket_table),
             connection_rows,
             pattern_rows,
             security_rows,
#ifdef ZLINK_CURVE
             curve_rows,
#endif
         }) {
        if (const row* const found = find_row(some, option)) return found;
    }
    return nullptr;
}

template <class Options>
errc set_by(const option_row<Options>& rule, socket_type type, Options& options, const option_input& input)
{
    if (rule.set == nullptr || !rule.accepted_by.contains(type)) return errc::invalid_argument;
    try {
        return rule.set(rule, options, input);
    } catch (const std::bad_alloc&) {
        return errc::out_of_memory;
    }
}

template <class Options>
errc get_by(const option_row<Options>& rule, const Options& options, const option_output& output)
{
    return rule.get == nullptr ? errc::invalid_argument : rule.get(options, output);
}

}  // namespace

socket_options initial_options(socket_type type, const context_options& context)
{
    socket_options options;
    options.type = type;
    options.shared = traits(type).thread_safe;
    options.stream.ipv6 = context.ipv6;
    // Subscribers have nothing to deliver but unsubscriptions, which a closed connection implies.
    options.linger = context.blocky && !traits(type).subscribes ? -1 : 0;
    return options;
}

errc set_option(socket_options& options, int option, const void* value, std::size_t size)
{
    const option_input input{value, size};
    if (input.is_broken()) return errc::invalid_argument;
    if (const row* const own = find(option)) return set_by(*own, options.type, options, input);
    if (const auto* const of_transport = transport::find_option(option)) {
        return set_by(*of_transport, options.type, options.stream, input);
    }
    return errc::invalid_argument;
}

errc get_option(const socket_options& options, int option, void* value, std::size_t* size)
{
    const option_output output{value, size};
    if (output.is_broken()) return errc::invalid_argument;
    if (const row* const own = find(option)) return get_by(*own, options, output);
    if (const auto* const of_transport = transport::find_option(option)) {
        return get_by(*of_transport, options.stream, output);
    }
    return errc::invalid_argument;
}

bool is_live_option(int option) noexcept
{
    switch (option) {
    case ZMQ_SUBSCRIBE:
    case ZMQ_UNSUBSCRIBE:
    case ZMQ_EVENTS:
    case ZMQ_FD:
    case ZLINK_FD:
    case ZMQ_RCVMORE:
    case ZMQ_LAST_ENDPOINT:
    case ZMQ_TOPICS_COUNT: return true;
    default: return false;
    }
}

bool accepts_live_option(const socket_options& options, int option) noexcept
{
    switch (option) {
    case ZMQ_SUBSCRIBE:
    case ZMQ_UNSUBSCRIBE:
        return options.type == socket_type::sub || (traits(options.type).publishes && options.pattern.xpub_manual);
    case ZMQ_TOPICS_COUNT: {
        const socket_traits& has = traits(options.type);
        return (has.publishes || has.subscribes) && !has.has_groups;
    }
    case ZMQ_FD: return !options.shared;
    default: return is_live_option(option);
    }
}

bool takes_effect_at_once(int option) noexcept
{
    const row* rule = find(option);
    return rule != nullptr && rule->at_once;
}

}  // namespace zlink::socket
