// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Rows of the option table: the options of transports and connections.
#include "socket/option_table.hpp"
#include "socket/option_values.hpp"
#include "socket/options.hpp"
#include "transport/ipc/ipc_options.hpp"
#include "transport/tcp/tcp_options.hpp"
#include "transport/ws/ws_options.hpp"

#ifndef ZMQ_BUILD_DRAFT_API
#define ZMQ_BUILD_DRAFT_API
#endif
#include <zlink.h>
#include <zmq.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <net/if.h>

namespace zlink::socket::option_table {

namespace {

using so = socket_options;
using st = transport::stream_options;
using tcp = transport::tcp::tcp_options;
using ipc = transport::ipc::ipc_options;
using socks = transport::tcp::socks_options;
using co = engine::connection_options;

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
    options.stream.change<tcp>().keepalive = *value;
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
    options.stream.change<tcp>().bind_to_device = input.bytes();
    return errc::none;
}

errc get_bind_to_device(const socket_options& options, const option_output& output)
{
    return output.put_text(options.stream.of<tcp>().bind_to_device);
}

/// Numeric. IPv4: also the forms of inet_aton(3) ("10.1" is 10.0.0.1). IPv6: on sockets that speak it. Returns the
/// number of bits of such an address; 0: `text` is not one. `address` is written as inet_ntop(3) would.
int parse_filter_address(std::string_view text, bool ipv6, std::string& address)
{
    const std::string given{text};
    char written[INET6_ADDRSTRLEN];
    in_addr v4;
    // inet_aton ignores the text behind a space.
    if (given.find_first_of(" \t\n\v\f\r") == std::string::npos && inet_aton(given.c_str(), &v4) == 1) {
        address = inet_ntop(AF_INET, &v4, written, sizeof written);
        return 32;
    }
    in6_addr v6;
    if (!ipv6 || inet_pton(AF_INET6, given.c_str(), &v6) != 1) return 0;
    address = inet_ntop(AF_INET6, &v6, written, sizeof written);
    return 128;
}

/// "address" or "address/bits". Brackets around IPv6 are dropped; bits end where their digits do.
bool parse_accept_filter(std::string_view text, bool ipv6, std::string& filter)
{
    const std::size_t slash = text.find('/');
    std::string_view given = text.substr(0, slash);
    if (given.size() > 2 && given.front() == '[' && given.back() == ']') given = given.substr(1, given.size() - 2);
    std::string address;
    const int longest = parse_filter_address(given, ipv6, address);
    if (longest == 0) return false;
    int bits = longest;
    if (slash != std::string_view::npos) {
        const std::string_view digits = text.substr(slash + 1);
        const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
        if (failure != std::errc{} || bits < 0 || bits > longest || (bits == 0 && digits != "0")) return false;
    }
    filter = address + '/' + std::to_string(bits);
    return true;
}

errc set_tcp_accept_filter(const row&, socket_options& options, const option_input& input)
{
    if (input.is_null()) {
        options.stream.change<tcp>().accept_filters.clear();
        return errc::none;
    }
    std::string filter;
    // A C string: octets behind its terminating zero are ignored.
    const std::string_view text = input.bytes().substr(0, input.bytes().find('\0'));
    if (input.size() > UINT8_MAX || !parse_accept_filter(text, options.stream.ipv6, filter)) {
        return errc::invalid_argument;
    }
    options.stream.change<tcp>().accept_filters.push_back(std::move(filter));
    return errc::none;
}

/// As ZMQ_TCP_ACCEPT_FILTER: one more, or none again.
errc set_ws_origin(const row&, socket_options& options, const option_input& input)
{
    auto& origins = options.stream.change<transport::ws::ws_options>().origins;
    if (input.is_null()) {
        origins.clear();
        return errc::none;
    }
    if (input.text().empty()) return errc::invalid_argument;
    origins.emplace_back(input.text());
    return errc::none;
}

/// Null or empty: none. zmq_connect checks the proxy's name and the peer's.
template <auto Field, std::size_t Longest>
errc set_socks(const row&, socket_options& options, const option_input& input)
{
    if (input.text().size() > Longest) return errc::invalid_argument;
    options.stream.change<tcp>().socks.*Field = input.text();
    return errc::none;
}

template <auto Field>
errc get_socks(const socket_options& options, const option_output& output)
{
    return output.put_text(options.stream.of<tcp>().socks.*Field);
}

template <auto Field, std::size_t Longest>
constexpr row socks_text(int option)
{
    return with(option, set_socks<Field, Longest>, get_socks<Field>);
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

constexpr row table[] = {
    number<&so::stream, &st::ipv6>(ZMQ_IPV6, 0, 1),
    with(ZMQ_IPV4ONLY, set_ipv4only, get_ipv4only),
    number<&so::stream, &st::backlog>(ZMQ_BACKLOG, 0),
    number<&so::stream, &st::sndbuf>(ZMQ_SNDBUF, -1),
    number<&so::stream, &st::rcvbuf>(ZMQ_RCVBUF, -1),
    number<&so::stream, part<tcp>{}, &tcp::tos>(ZMQ_TOS, 0),
    number<&so::stream, part<tcp>{}, &tcp::priority>(ZMQ_PRIORITY, 0),
    with(ZMQ_TCP_KEEPALIVE, set_tcp_keepalive, get_number<&so::stream, part<tcp>{}, &tcp::keepalive>),
    number<&so::stream, part<tcp>{}, &tcp::keepalive_cnt>(ZMQ_TCP_KEEPALIVE_CNT, -1),
    number<&so::stream, part<tcp>{}, &tcp::keepalive_idle>(ZMQ_TCP_KEEPALIVE_IDLE, -1),
    number<&so::stream, part<tcp>{}, &tcp::keepalive_intvl>(ZMQ_TCP_KEEPALIVE_INTVL, -1),
    number<&so::stream, part<tcp>{}, &tcp::maxrt>(ZMQ_TCP_MAXRT, 0),
    set_only(number<&so::stream, part<tcp>{}, &tcp::busy_poll>(ZMQ_BUSY_POLL, any)),
    with(ZMQ_BINDTODEVICE, set_bind_to_device, get_bind_to_device),
    number<&so::stream, &st::use_fd>(ZMQ_USE_FD, -1),
    setter(ZMQ_TCP_ACCEPT_FILTER, every_type, set_tcp_accept_filter),
    socks_text<&socks::proxy, SIZE_MAX>(ZMQ_SOCKS_PROXY),
    socks_text<&socks::user_name, UINT8_MAX>(ZMQ_SOCKS_USERNAME),  // lengths go over the wire as one octet
    socks_text<&socks::password, UINT8_MAX>(ZMQ_SOCKS_PASSWORD),
    setter(ZMQ_IPC_FILTER_UID, every_type, set_filter<&so::stream, part<ipc>{}, &ipc::filter_uid>),
    setter(ZMQ_IPC_FILTER_GID, every_type, set_filter<&so::stream, part<ipc>{}, &ipc::filter_gid>),
    setter(ZMQ_IPC_FILTER_PID, every_type, set_filter<&so::stream, part<ipc>{}, &ipc::filter_pid>),
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
    setter(ZMQ_WS_ORIGIN, every_type, set_ws_origin),
    setter(ZMQ_METADATA, every_type, set_metadata),
    setter(ZMQ_HELLO_MSG, every_type, set_text<&so::connection, &co::hello_message>, true),
    setter(ZMQ_HICCUP_MSG, every_type, set_text<&so::connection, &co::hiccup_message>),
};

}  // namespace

constinit const rows connection_rows{table};

}  // namespace zlink::socket::option_table
