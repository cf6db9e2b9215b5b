// One table says of each stored option which socket types have it, its range, where it is kept and whether it can be
// read. Ranges and sizes are those of libzmq 4.3.5, down to its laxness where programs may count on it.
#include "socket/options.hpp"

#include "socket/context_options.hpp"
#include "socket/option_table.hpp"
#include "socket/option_values.hpp"

#ifndef ZMQ_BUILD_DRAFT_API
#define ZMQ_BUILD_DRAFT_API
#endif
#include <zmq.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <climits>
#include <cstdint>
#include <iterator>
#include <new>
#include <utility>

#include <arpa/inet.h>
#include <net/if.h>

namespace zlink::socket {

using namespace option_table;

namespace {

constexpr type_set publishers = types(ZMQ_PUB, ZMQ_XPUB);
constexpr type_set routers = types(ZMQ_ROUTER, ZMQ_REP);  // REP takes what ROUTER takes, as in libzmq
constexpr type_set subscribers = types(ZMQ_SUB, ZMQ_XSUB);

// Encryption options: there is no mechanism but NULL and no proxy, so these can neither be set nor read. Whoever adds
// them takes their numbers off this list, gives them rows in the table below, and replaces mechanism_in_use.
constexpr int encryption_options[] = {
    ZMQ_PLAIN_SERVER,
    ZMQ_PLAIN_USERNAME,
    ZMQ_PLAIN_PASSWORD,
    ZMQ_CURVE_SERVER,
    ZMQ_CURVE_PUBLICKEY,
    ZMQ_CURVE_SECRETKEY,
    ZMQ_CURVE_SERVERKEY,
    ZMQ_GSSAPI_SERVER,
    ZMQ_GSSAPI_PRINCIPAL,
    ZMQ_GSSAPI_SERVICE_PRINCIPAL,
    ZMQ_GSSAPI_PLAINTEXT,
    ZMQ_GSSAPI_PRINCIPAL_NAMETYPE,
    ZMQ_GSSAPI_SERVICE_PRINCIPAL_NAMETYPE,
    ZMQ_ZAP_DOMAIN,
    ZMQ_ZAP_ENFORCE_DOMAIN,
    ZMQ_SOCKS_PROXY,
    ZMQ_SOCKS_USERNAME,
    ZMQ_SOCKS_PASSWORD,
};
constexpr int mechanism_in_use = ZMQ_NULL;

// Options with rules of their own.

/// A message to be sent on some event; no bytes at all means that there is none.
template <auto Message, auto Has>
errc set_message(const row&, socket_options& options, const option_input& input)
{
    options.connection.*Message = input.bytes();
    options.connection.*Has = input.size() != 0;
    return errc::none;
}

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

/// Of any length, as in libzmq: it never goes over the wire.
errc set_connect_routing_id(const row&, socket_options& options, const option_input& input)
{
    if (input.size() < 1) {
        return errc::invalid_argument;
    }
    options.connect_routing_id = input.bytes();
    return errc::none;
}

errc set_ipv4only(const row&, socket_options& options, const option_input& input)
{
    const auto value = input.as<int>();
    if (value != 0 && value != 1) {
        return errc::invalid_argument;
    }
    options.stream.ipv6 = *value == 0;
    return errc::none;
}

errc get_ipv4only(const socket_options& options, const option_output& output)
{
    return output.put(options.stream.ipv6 ? 0 : 1);
}

errc set_tcp_keepalive(const row&, socket_options& options, const option_input& input)
{
    const auto value = input.as<int>();
    if (value != -1 && value != 0 && value != 1) {
        return errc::invalid_argument;
    }
    options.stream.tcp_keepalive = *value;
    return errc::none;
}

/// ZMTP carries the TTL as a 16-bit count of tenths of a second, so the value is cut to whole ones (toward zero).
errc set_heartbeat_ttl(const row&, socket_options& options, const option_input& input)
{
    constexpr int tenth = 100;
    const auto value = input.as<int>();
    if (!value || *value / tenth < 0 || *value / tenth > UINT16_MAX) {
        return errc::invalid_argument;
    }
    options.connection.heartbeat_ttl = std::chrono::milliseconds(*value / tenth * tenth);
    return errc::none;
}

template <auto Field>
errc set_batch_size(const row&, socket_options& options, const option_input& input)
{
    const auto value = input.as<int>();
    if (!value || *value <= 0) {
        return errc::invalid_argument;
    }
    options.connection.*Field = static_cast<std::size_t>(*value);
    return errc::none;
}

/// While it is not set the documented default is read; the sizes then in force come from the knobs.
template <auto Field>
errc get_batch_size(const socket_options& options, const option_output& output)
{
    constexpr int documented_default = 8192;
    const std::size_t size = options.connection.*Field;
    return output.put(size == 0 ? documented_default : static_cast<int>(size));
}

errc set_bind_to_device(const row&, socket_options& options, const option_input& input)
{
    const bool reset = input.is_null();
    if (!reset && (input.size() < 1 || input.size() > IFNAMSIZ)) {
        return errc::invalid_argument;
    }
    options.stream.bind_to_device = input.text();
    return errc::none;
}

errc get_bind_to_device(const socket_options& options, const option_output& output)
{
    return output.put_text(options.stream.bind_to_device);
}

/// "address" or "address/bits", numeric, IPv6 only on sockets that speak it. Brackets around IPv6 are dropped.
bool parse_accept_filter(std::string_view text, bool ipv6, std::string& filter)
{
    const std::size_t slash = text.find('/');
    std::string address{text.substr(0, slash)};
    if (address.size() > 2 && address.front() == '[' && address.back() == ']') {
        address = address.substr(1, address.size() - 2);
    }
    in6_addr parsed;
    int longest = 0;
    if (inet_pton(AF_INET, address.c_str(), &parsed) == 1) {
        longest = 32;
    } else if (ipv6 && inet_pton(AF_INET6, address.c_str(), &parsed) == 1) {
        longest = 128;
    } else {
        return false;
    }
    int bits = longest;
    if (slash != std::string_view::npos) {
        const std::string_view digits = text.substr(slash + 1);
        const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
        if (failure != std::errc{} || end != digits.data() + digits.size() || bits < 0 || bits > longest) {
            return false;
        }
    }
    filter = address + '/' + std::to_string(bits);
    return true;
}

errc set_tcp_accept_filter(const row&, socket_options& options, const option_input& input)
{
    if (input.is_null()) {
        options.stream.tcp_accept_filters.clear();
        return errc::none;
    }
    std::string filter;
    if (input.size() > UINT8_MAX || !parse_accept_filter(input.text(), options.stream.ipv6, filter)) {
        return errc::invalid_argument;
    }
    options.stream.tcp_accept_filters.push_back(std::move(filter));
    return errc::none;
}

/// "X-name:value"; the first value given for a name stays.
errc set_metadata(const row&, socket_options& options, const option_input& input)
{
    const std::string_view text = input.text();
    const std::size_t colon = text.find(':');
    constexpr std::string_view prefix = "X-";
    if (colon == std::string_view::npos || colon > UINT8_MAX || colon + 1 == text.size() || !text.starts_with(prefix) ||
        colon == prefix.size()) {
        return errc::invalid_argument;
    }
    auto& metadata = options.connection.metadata;
    const std::string_view name = text.substr(0, colon);
    const bool known = std::ranges::any_of(metadata, [&](const auto& property) { return property.first == name; });
    if (!known) {
        metadata.emplace_back(name, text.substr(colon + 1));
    }
    return errc::none;
}

/// The two verbosities overwrite one another: VERBOSE is about subscriptions alone, VERBOSER about both directions.
template <bool BothDirections>
errc set_xpub_verbosity(const row& rule, socket_options& options, const option_input& input)
{
    const errc error = set_number<&socket_options::xpub_verbose>(rule, options, input);
    if (error == errc::none) {
        options.xpub_verboser = BothDirections && options.xpub_verbose;
    }
    return error;
}

errc set_xpub_manual_last_value(const row& rule, socket_options& options, const option_input& input)
{
    const errc error = set_number<&socket_options::xpub_manual>(rule, options, input);
    if (error == errc::none) {
        options.xpub_manual_last_value = options.xpub_manual;
    }
    return error;
}

errc set_xpub_manual(const row& rule, socket_options& options, const option_input& input)
{
    const errc error = set_number<&socket_options::xpub_manual>(rule, options, input);
    if (error == errc::none && !options.xpub_manual) {
        options.xpub_manual_last_value = false;
    }
    return error;
}

errc set_xpub_welcome_msg(const row&, socket_options& options, const option_input& input)
{
    options.xpub_welcome_msg = input.bytes();
    return errc::none;
}

errc get_type(const socket_options& options, const option_output& output)
{
    return output.put(options.type);
}

errc get_thread_safe(const socket_options&, const option_output& output)
{
    return output.put_in_room(0);
}

errc get_mechanism(const socket_options&, const option_output& output)
{
    return output.put(mechanism_in_use);
}

using so = socket_options;
using st = transport::stream_options;
using co = engine::connection_options;

constexpr int any = INT_MIN;

constexpr row table[] = {
    number_at_once<&so::sndhwm>(ZMQ_SNDHWM, 0),
    number_at_once<&so::rcvhwm>(ZMQ_RCVHWM, 0),
    number_at_once<&so::linger>(ZMQ_LINGER, -1),
    number_at_once<&so::sndtimeo>(ZMQ_SNDTIMEO, -1),
    number_at_once<&so::rcvtimeo>(ZMQ_RCVTIMEO, -1),
    with(ZMQ_AFFINITY, set_wide<&so::affinity>, get_wide<&so::affinity>),
    with(ZMQ_ROUTING_ID, set_routing_id, get_routing_id),
    number<&so::conflate>(ZMQ_CONFLATE, 0, 1),
    {ZMQ_INVERT_MATCHING, every_type, any, INT_MAX, set_number<&so::invert_matching>, get_number<&so::invert_matching>,
     true},

    // Connections
    number<&so::stream, &st::ipv6>(ZMQ_IPV6, 0, 1),
    with(ZMQ_IPV4ONLY, set_ipv4only, get_ipv4only),
    number<&so::stream, &st::backlog>(ZMQ_BACKLOG, 0),
    number<&so::stream, &st::sndbuf>(ZMQ_SNDBUF, -1),
    number<&so::stream, &st::rcvbuf>(ZMQ_RCVBUF, -1),
    number<&so::stream, &st::tos>(ZMQ_TOS, 0),
    number<&so::stream, &st::priority>(ZMQ_PRIORITY, 0),
    with(ZMQ_TCP_KEEPALIVE, set_tcp_keepalive, get_number<&so::stream, &st::tcp_keepalive>),
    number<&so::stream, &st::tcp_keepalive_cnt>(ZMQ_TCP_KEEPALIVE_CNT, -1),
    number<&so::stream, &st::tcp_keepalive_idle>(ZMQ_TCP_KEEPALIVE_IDLE, -1),
    number<&so::stream, &st::tcp_keepalive_intvl>(ZMQ_TCP_KEEPALIVE_INTVL, -1),
    number<&so::stream, &st::tcp_maxrt>(ZMQ_TCP_MAXRT, 0),
    number<&so::stream, &st::busy_poll>(ZMQ_BUSY_POLL, any),
    with(ZMQ_BINDTODEVICE, set_bind_to_device, get_bind_to_device),
    number<&so::stream, &st::use_fd>(ZMQ_USE_FD, -1),
    setter(ZMQ_TCP_ACCEPT_FILTER, every_type, set_tcp_accept_filter),
    setter(ZMQ_IPC_FILTER_UID, every_type, set_filter<&so::stream, &st::ipc_filter_uid>),
    setter(ZMQ_IPC_FILTER_GID, every_type, set_filter<&so::stream, &st::ipc_filter_gid>),
    setter(ZMQ_IPC_FILTER_PID, every_type, set_filter<&so::stream, &st::ipc_filter_pid>),
    number<&so::connection, &co::immediate>(ZMQ_IMMEDIATE, 0, 1),
    number<&so::connection, &co::handshake_ivl>(ZMQ_HANDSHAKE_IVL, 0),
    number<&so::connection, &co::connect_timeout>(ZMQ_CONNECT_TIMEOUT, 0),
    number<&so::connection, &co::reconnect_ivl>(ZMQ_RECONNECT_IVL, -1),
    number<&so::connection, &co::reconnect_ivl_max>(ZMQ_RECONNECT_IVL_MAX, 0),
    number<&so::connection, &co::reconnect_stop>(ZMQ_RECONNECT_STOP, any),
    number<&so::connection, &co::heartbeat_ivl>(ZMQ_HEARTBEAT_IVL, 0),
    with(ZMQ_HEARTBEAT_TTL, set_heartbeat_ttl, get_number<&so::connection, &co::heartbeat_ttl>),
    number<&so::connection, &co::heartbeat_timeout>(ZMQ_HEARTBEAT_TIMEOUT, 0),
    with(ZMQ_MAXMSGSIZE, set_wide<&so::connection, &co::max_msg_size>, get_wide<&so::connection, &co::max_msg_size>),
    with(ZMQ_IN_BATCH_SIZE, set_batch_size<&co::in_batch_size>, get_batch_size<&co::in_batch_size>),
    with(ZMQ_OUT_BATCH_SIZE, set_batch_size<&co::out_batch_size>, get_batch_size<&co::out_batch_size>),
    setter(ZMQ_METADATA, every_type, set_metadata),
    setter(ZMQ_HELLO_MSG, every_type, set_message<&co::hello_message, &co::has_hello_message>, true),
    setter(ZMQ_DISCONNECT_MSG, every_type, set_message<&co::disconnect_message, &co::has_disconnect_message>, true),
    setter(ZMQ_HICCUP_MSG, every_type, set_message<&co::hiccup_message, &co::has_hiccup_message>),

    // Request-reply
    pattern_number<&so::req_relaxed>(ZMQ_REQ_RELAXED, types(ZMQ_REQ)),
    pattern_number<&so::req_correlate>(ZMQ_REQ_CORRELATE, types(ZMQ_REQ)),
    pattern_number<&so::probe_router>(ZMQ_PROBE_ROUTER, routers | types(ZMQ_REQ, ZMQ_DEALER)),
    pattern_number<&so::router_mandatory>(ZMQ_ROUTER_MANDATORY, routers),
    pattern_number<&so::router_handover>(ZMQ_ROUTER_HANDOVER, routers),
    pattern_number<&so::router_raw>(ZMQ_ROUTER_RAW, routers),
    {ZMQ_ROUTER_NOTIFY, routers, 0, ZMQ_NOTIFY_CONNECT | ZMQ_NOTIFY_DISCONNECT, set_number<&so::router_notify>,
     get_number<&so::router_notify>, true},
    setter(ZMQ_CONNECT_ROUTING_ID, routers | types(ZMQ_STREAM), set_connect_routing_id),
    pattern_number<&so::stream_notify>(ZMQ_STREAM_NOTIFY, types(ZMQ_STREAM), 1),

    // Publish-subscribe
    setter(ZMQ_XPUB_VERBOSE, publishers, set_xpub_verbosity<false>, true),
    setter(ZMQ_XPUB_VERBOSER, publishers, set_xpub_verbosity<true>, true),
    pattern_number<&so::xpub_nodrop>(ZMQ_XPUB_NODROP, publishers),
    setter(ZMQ_XPUB_MANUAL, publishers, set_xpub_manual, true),
    setter(ZMQ_XPUB_MANUAL_LAST_VALUE, publishers, set_xpub_manual_last_value, true),
    setter(ZMQ_XPUB_WELCOME_MSG, publishers, set_xpub_welcome_msg, true),
    pattern_number<&so::only_first_subscribe>(ZMQ_ONLY_FIRST_SUBSCRIBE, publishers | types(ZMQ_XSUB)),

    // Transports that are not built
    number<&so::loopback_fastpath>(ZMQ_LOOPBACK_FASTPATH, any),
    number<&so::rate>(ZMQ_RATE, 1),
    number<&so::recovery_ivl>(ZMQ_RECOVERY_IVL, 0),
    number<&so::multicast_hops>(ZMQ_MULTICAST_HOPS, 1),
    number<&so::multicast_maxtpdu>(ZMQ_MULTICAST_MAXTPDU, 1),
    number<&so::multicast_loop>(ZMQ_MULTICAST_LOOP, any),
    with(ZMQ_VMCI_BUFFER_SIZE, set_wide<&so::vmci_buffer_size>, get_wide<&so::vmci_buffer_size>),
    with(ZMQ_VMCI_BUFFER_MIN_SIZE, set_wide<&so::vmci_buffer_min_size>, get_wide<&so::vmci_buffer_min_size>),
    with(ZMQ_VMCI_BUFFER_MAX_SIZE, set_wide<&so::vmci_buffer_max_size>, get_wide<&so::vmci_buffer_max_size>),
    number<&so::vmci_connect_timeout>(ZMQ_VMCI_CONNECT_TIMEOUT, any),

    // Constants
    with(ZMQ_TYPE, nullptr, get_type),
    with(ZMQ_THREAD_SAFE, nullptr, get_thread_safe),
    with(ZMQ_MECHANISM, nullptr, get_mechanism),
};

constexpr const row* find(int option)
{
    const auto* found = std::ranges::find(table, option, &row::option);
    return found == std::end(table) ? nullptr : found;
}

static_assert(std::ranges::none_of(encryption_options, [](int option) { return find(option) != nullptr; }));

}  // namespace

socket_options initial_options(int type, const context_options& context)
{
    socket_options options;
    options.type = type;
    options.stream.ipv6 = context.ipv6;
    // SUB and XSUB have nothing to deliver but unsubscriptions, which a closed connection implies.
    options.linger = context.blocky && !contains(subscribers, type) ? -1 : 0;
    return options;
}

errc set_option(socket_options& options, int option, const void* value, std::size_t size)
{
    const row* rule = find(option);
    const option_input input{value, size};
    if (rule == nullptr || rule->set == nullptr || !contains(rule->accepted_by, options.type) || input.is_broken()) {
        return errc::invalid_argument;
    }
    try {
        return rule->set(*rule, options, input);
    } catch (const std::bad_alloc&) {
        return errc::out_of_memory;
    }
}

errc get_option(const socket_options& options, int option, void* value, std::size_t* size)
{
    const row* rule = find(option);
    const option_output output{value, size};
    if (rule == nullptr || rule->get == nullptr || output.is_broken()) {
        return errc::invalid_argument;
    }
    return rule->get(options, output);
}

bool is_live_option(int option) noexcept
{
    switch (option) {
    case ZMQ_SUBSCRIBE:
    case ZMQ_UNSUBSCRIBE:
    case ZMQ_EVENTS:
    case ZMQ_FD:
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
    case ZMQ_UNSUBSCRIBE: return options.type == ZMQ_SUB || (contains(publishers, options.type) && options.xpub_manual);
    case ZMQ_TOPICS_COUNT: return contains(publishers | subscribers, options.type);
    default: return is_live_option(option);
    }
}

bool takes_effect_at_once(int option) noexcept
{
    const row* rule = find(option);
    return rule != nullptr && rule->at_once;
}

}  // namespace zlink::socket
