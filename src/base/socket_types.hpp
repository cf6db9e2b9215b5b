// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The socket types and their differences, in one table that all layers use.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace zlink {

/// Values are those of the C API's ZMQ_PAIR to ZMQ_CHANNEL, and up to XSUB those of the ZMTP 2.0 greeting.
enum class socket_type : std::uint8_t {
    pair,
    pub,
    sub,
    req,
    rep,
    dealer,
    router,
    pull,
    push,
    xpub,
    xsub,
    stream,
    server,
    client,
    radio,
    dish,
    gather,
    scatter,
    dgram,
    peer,
    channel
};

/// A set of socket types.
class socket_types {
public:
    constexpr socket_types() = default;
    explicit(false) constexpr socket_types(std::same_as<socket_type> auto... types) : bits_((bit(types) | ...)) {}

    [[nodiscard]] constexpr bool contains(socket_type type) const { return (bits_ & bit(type)) != 0; }

    friend constexpr socket_types operator|(socket_types a, socket_types b)
    {
        a.bits_ |= b.bits_;
        return a;
    }

private:
    static constexpr unsigned bit(socket_type type) { return unsigned(type) < 32 ? 1u << unsigned(type) : 0; }

    unsigned bits_ = 0;
};

/// How a type uses transports of datagrams.
enum class datagram_use : std::uint8_t {
    none,
    sends_groups,  ///< connects, and sends to groups
    takes_groups,  ///< binds, and receives what was sent to groups
    addressed,     ///< binds, and sends and receives with addresses; it has no other transport
};

/// One idea: a row of a constant table, in which each column is a property of a socket type, independent of the others.
struct socket_traits {
    std::string_view wire_name;  ///< the Socket-Type property; empty: does not speak ZMTP
    socket_types peers;          ///< legal ones (RFC 37, "The Socket-Type Property")
    bool announces_identity = false;
    bool publishes = false;   ///< takes subscriptions and sends to the subscribers
    bool subscribes = false;  ///< sends subscriptions
    /// Its subscriptions may be messages that the program sends.
    bool subscribes_by_message = false;
    /// Has ZMQ_CONFLATE (others store the option and go on as before).
    bool conflates = false;
    /// A second zmq_connect to the same tcp or ipc endpoint does nothing: it would only double the incoming messages
    /// (libzmq's rule).
    bool connects_once = false;
    bool greets = false;        ///< sends ZMQ_HELLO_MSG
    bool tells_hiccup = false;  ///< gives ZMQ_HICCUP_MSG to the program when it loses a connection
    /// Makes up routing ids; the last of them can be read back as its own.
    bool makes_up_own_routing_id = false;
    /// Reads connections on the thread that waits for their messages. Not for types that would not take the messages,
    /// nor for types that receive only subscriptions, which the I/O threads handle (event_loop::catch_up).
    bool reads_inline = false;
    /// Holds messages back while there is more to receive. Not for types with one request under way, nor for types with
    /// subscriptions that have to be sent at once.
    bool holds_sends = false;
    bool reports_events = false;  ///< may be the type of a monitor's socket
    /// Shared between threads from its creation (ZMQ_THREAD_SAFE). Messages have one frame; a peer that speaks a ZMTP
    /// before 3.0 does not know the type.
    bool thread_safe = false;
    bool has_groups = false;  ///< its subscriptions are whole groups (RFC 48), not the beginnings of messages
    datagram_use datagrams = datagram_use::none;
};

namespace socket_type_table {

using enum socket_type;

inline constexpr socket_types publishers{pub, xpub};
inline constexpr socket_types subscribers{sub, xsub};

/// In the order of the enumeration.
inline constexpr socket_traits rows[] = {
    {.wire_name = "PAIR", .peers = {pair}, .reads_inline = true, .holds_sends = true, .reports_events = true},
    {.wire_name = "PUB",
     .peers = subscribers,
     .publishes = true,
     .conflates = true,
     .connects_once = true,
     .reports_events = true},
    {.wire_name = "SUB",
     .peers = publishers,
     .subscribes = true,
     .conflates = true,
     .connects_once = true,
     .reads_inline = true},
    {.wire_name = "REQ",
     .peers = {rep, router},
     .announces_identity = true,
     .connects_once = true,
     .reads_inline = true},
    {.wire_name = "REP", .peers = {req, dealer}, .reads_inline = true, .holds_sends = true},
    {.wire_name = "DEALER",
     .peers = {rep, dealer, router},
     .announces_identity = true,
     .conflates = true,
     .connects_once = true,
     .greets = true,
     .tells_hiccup = true,
     .reads_inline = true,
     .holds_sends = true},
    {.wire_name = "ROUTER",
     .peers = {req, dealer, router},
     .announces_identity = true,
     .greets = true,
     .reads_inline = true,
     .holds_sends = true},
    {.wire_name = "PULL", .peers = {push}, .conflates = true, .reads_inline = true, .holds_sends = true},
    {.wire_name = "PUSH", .peers = {pull}, .conflates = true, .reports_events = true},
    {.wire_name = "XPUB", .peers = subscribers, .publishes = true},
    {.wire_name = "XSUB", .peers = publishers, .subscribes = true, .subscribes_by_message = true, .reads_inline = true},
    {.wire_name = "", .peers = {}, .makes_up_own_routing_id = true, .reads_inline = true, .holds_sends = true},
    {.wire_name = "SERVER",
     .peers = {client},
     .greets = true,
     .reads_inline = true,
     .holds_sends = true,
     .thread_safe = true},
    {.wire_name = "CLIENT",
     .peers = {server},
     .greets = true,
     .tells_hiccup = true,
     .reads_inline = true,
     .holds_sends = true,
     .thread_safe = true},
    {.wire_name = "RADIO",
     .peers = {dish},
     .publishes = true,
     .thread_safe = true,
     .has_groups = true,
     .datagrams = datagram_use::sends_groups},
    {.wire_name = "DISH",
     .peers = {radio},
     .subscribes = true,
     .reads_inline = true,
     .thread_safe = true,
     .has_groups = true,
     .datagrams = datagram_use::takes_groups},
    {.wire_name = "GATHER", .peers = {scatter}, .reads_inline = true, .holds_sends = true, .thread_safe = true},
    {.wire_name = "SCATTER", .peers = {gather}, .thread_safe = true},
    {.wire_name = "", .peers = {}, .datagrams = datagram_use::addressed},  // DGRAM
    {.wire_name = "PEER",
     .peers = {peer},
     .greets = true,
     .tells_hiccup = true,
     .reads_inline = true,
     .holds_sends = true,
     .thread_safe = true},
    {.wire_name = "CHANNEL", .peers = {channel}, .reads_inline = true, .holds_sends = true, .thread_safe = true},
};

static_assert(std::size(rows) == std::size_t(channel) + 1);

}  // namespace socket_type_table

[[nodiscard]] constexpr const socket_traits& traits(socket_type type) noexcept
{
    return socket_type_table::rows[std::size_t(type)];
}

/// None: the type does not exist.
[[nodiscard]] constexpr std::optional<socket_type> socket_type_of(int number) noexcept
{
    if (number < 0 || number >= int(std::size(socket_type_table::rows))) return std::nullopt;
    return socket_type(number);
}

/// The types that have a trait, as in types_that(&socket_traits::publishes); null: all.
[[nodiscard]] constexpr socket_types types_that(bool socket_traits::*trait) noexcept
{
    socket_types found;
    for (std::size_t i = 0; i < std::size(socket_type_table::rows); ++i) {
        if (!trait || socket_type_table::rows[i].*trait) found = found | socket_type(i);
    }
    return found;
}

[[nodiscard]] constexpr bool publishes(socket_type type) noexcept
{
    return traits(type).publishes;
}

}  // namespace zlink
