// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Statistics of the C++ API. The handles of sockets are looked up, and not used.
#include "socket/statistics.hpp"
#include "cpp_api/calls.hpp"
#include "socket/context.hpp"
#include "socket/live_sockets.hpp"

namespace zlink::inline v1::core {

using cpp_api::guarded;

namespace {

v1::message_counts shown(const socket::message_counts& of) noexcept
{
    return {
        of.sent.messages,     of.sent.octets,        of.received.messages, of.received.octets, of.queued_out.messages,
        of.queued_out.octets, of.queued_in.messages, of.queued_in.octets,  of.no_room,         of.replaced,
        of.unwanted};
}

statistics_view shown(const socket::socket_statistics& of) noexcept
{
    return {.number = of.number,
            .age_ms = std::uint64_t(of.age.count()),
            .name = of.name,
            .last_error = of.last_error,
            .type = int(of.type),
            .messages = shown(of.messages),
            .dropped_no_peer = of.no_peer,
            .dropped_no_match = of.no_match,
            .dropped_unroutable = of.unroutable,
            .dropped_unsent = of.unsent,
            .dropped_unread = of.unread,
            .send_waits = of.waits,
            .connects = of.connects,
            .disconnects = of.disconnects,
            .reconnects = of.reconnects,
            .failed_connects = of.failed_connects,
            .failed_handshakes = of.failed_handshakes,
            .protocol_errors = of.protocol_errors,
            .refused = of.refused,
            .silences = of.silences};
}

peer_view shown(const socket::peer_statistics& of) noexcept
{
    return {.endpoint = of.endpoint,
            .address = of.address,
            .routing_id = of.routing_id,
            .user_id = of.user_id,
            .mechanism = of.mechanism,
            .last_error = of.last_error,
            .connected = of.connected,
            .messages = shown(of.messages),
            .round_trip_us = std::uint64_t(of.round_trip.count())};
}

}  // namespace

int socket_statistics(void* handle, void (*take)(void*, const statistics_view&), void* to)
{
    return guarded([&] {
        const auto account = socket::live_sockets::find(handle);
        socket::socket_statistics now;
        if (!account || !account->look(now)) return errc::not_a_socket;
        take(to, shown(now));
        return errc::none;
    });
}

int socket_peers(void* handle, void (*take)(void*, const peer_view&), void* to)
{
    return guarded([&] {
        const auto account = socket::live_sockets::find(handle);
        if (!account) return errc::not_a_socket;
        const bool found = account->look_at_peers([&](const socket::peer_statistics& peer) { take(to, shown(peer)); });
        return found ? errc::none : errc::not_a_socket;
    });
}

int context_statistics(void* context, void (*take)(void*, const statistics_view&), void* to)
{
    return guarded([&] {
        if (!socket::context::valid(context)) return errc::bad_address;
        for (const auto& account : socket::live_sockets::all_of(*static_cast<const socket::context*>(context))) {
            socket::socket_statistics now;
            if (account->look(now)) take(to, shown(now));
        }
        return errc::none;
    });
}

}  // namespace zlink::inline v1::core
