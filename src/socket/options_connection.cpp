// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Rows of the option table: the options of connections, and those that several transports obey.
#include "socket/option_table.hpp"
#include "socket/options.hpp"

#ifndef ZMQ_BUILD_DRAFT_API
#define ZMQ_BUILD_DRAFT_API
#endif
#include <zlink.h>
#include <zmq.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace zlink::socket::option_table {

namespace {

using so = socket_options;
using st = transport::stream_options;
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

constexpr row connection_table[] = {
    number<&so::stream, &st::ipv6>(ZMQ_IPV6, 0, 1),
    with(ZMQ_IPV4ONLY, set_ipv4only, get_ipv4only),
    number<&so::stream, &st::backlog>(ZMQ_BACKLOG, 0),
    number<&so::stream, &st::sndbuf>(ZMQ_SNDBUF, -1),
    number<&so::stream, &st::rcvbuf>(ZMQ_RCVBUF, -1),
    number<&so::stream, &st::use_fd>(ZMQ_USE_FD, -1),
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
    setter(ZMQ_HELLO_MSG, every_type, set_text<&so::connection, &co::hello_message>, true),
    setter(ZMQ_HICCUP_MSG, every_type, set_text<&so::connection, &co::hiccup_message>),
};

}  // namespace

constinit const rows connection_rows{connection_table};

}  // namespace zlink::socket::option_table
