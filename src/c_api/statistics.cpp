// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink_socket_stats, zlink_socket_peers and zlink_context_stats. The handles of sockets are looked up, and not used.
#include "socket/statistics.hpp"
#include "c_api/handles.hpp"
#include "c_api/sized_struct.hpp"
#include "socket/live_sockets.hpp"

#include <zlink.h>

#include <algorithm>
#include <cstring>
#include <string_view>

using namespace zlink;
using namespace zlink::c_api;

namespace {

template <std::size_t Room>
void put_text(char (&to)[Room], std::string_view text) noexcept
{
    const std::size_t size = std::min(text.size(), Room - 1);
    std::memcpy(to, text.data(), size);
    to[size] = '\0';
}

zlink_message_counts_t shown(const socket::message_counts& of) noexcept
{
    return {
        of.sent.messages,     of.sent.octets,        of.received.messages, of.received.octets, of.queued_out.messages,
        of.queued_out.octets, of.queued_in.messages, of.queued_in.octets,  of.no_room,         of.replaced,
        of.unwanted};
}

zlink_stats_t shown(const socket::socket_statistics& of) noexcept
{
    zlink_stats_t to{};
    to.number = of.number;
    to.age_ms = std::uint64_t(of.age.count());
    put_text(to.name, of.name);
    to.type = int(of.type);
    to.peers = unsigned(of.connects - std::min(of.connects, of.disconnects));
    to.messages = shown(of.messages);
    to.dropped_no_peer = of.no_peer;
    to.dropped_no_match = of.no_match;
    to.dropped_unroutable = of.unroutable;
    to.dropped_unsent = of.unsent;
    to.dropped_unread = of.unread;
    to.send_waits = of.waits;
    to.connects = of.connects;
    to.disconnects = of.disconnects;
    to.reconnects = of.reconnects;
    to.failed_connects = of.failed_connects;
    to.failed_handshakes = of.failed_handshakes;
    to.protocol_errors = of.protocol_errors;
    to.refused = of.refused;
    to.silences = of.silences;
    put_text(to.last_error, of.last_error);
    to.system_reads = of.messages.reads;
    to.system_writes = of.messages.writes;
    to.held_sends = of.held;
    to.late_sends = of.held_late;
    to.paused_sends = of.pauses;
    to.io_waits = of.io_waits;
    to.context_cap = of.cap;
    to.context_queued = of.cap_queued;
    to.context_cap_waits = of.cap_waits;
    to.shared_bodies_sent = of.shared_sent;
    to.shared_bodies_received = of.shared_received;
    to.shared_memory_made = of.shared_made;
    to.shared_memory_taken = of.shared_taken;
    return to;
}

zlink_peer_stats_t shown(const socket::peer_statistics& of) noexcept
{
    zlink_peer_stats_t to{};
    put_text(to.endpoint, of.endpoint);
    put_text(to.address, of.address);
    to.routing_id_size = std::min(of.routing_id.size(), sizeof to.routing_id);
    std::memcpy(to.routing_id, of.routing_id.data(), to.routing_id_size);
    put_text(to.user_id, of.user_id);
    put_text(to.mechanism, of.mechanism);
    to.connected = of.connected ? 1 : 0;
    to.messages = shown(of.messages);
    put_text(to.last_error, of.last_error);
    to.round_trip_us = std::uint64_t(of.round_trip.count());
    to.system_reads = of.messages.reads;
    to.system_writes = of.messages.writes;
    return to;
}

constexpr explanation of_structures[] = {
    {EFAULT, "a pointer is NULL, or the context is none"},
    {EINVAL, "the member size is not set: it is the size of the structure, sizeof(zlink_stats_t) for example"},
};

}  // namespace

int zlink_socket_stats(void* handle, zlink_stats_t* stats)
{
    const int done = guarded([&] {
        const auto account = socket::live_sockets::find(handle);
        if (!account) return errc::not_a_socket;
        if (!stats) return errc::bad_address;
        sized_structs to(stats, 1);
        if (!to.is_sound()) return errc::invalid_argument;
        socket::socket_statistics now;
        if (!account->look(now)) return errc::not_a_socket;
        to.put(shown(now));
        return errc::none;
    });
    return explained(done, of_structures);
}

int zlink_socket_peers(void* handle, zlink_peer_stats_t* peers, size_t* count)
{
    const int done = guarded([&] {
        const auto account = socket::live_sockets::find(handle);
        if (!account) return errc::not_a_socket;
        if (!count || (!peers && *count != 0)) return errc::bad_address;
        sized_structs to(peers, *count);
        if (!to.is_sound()) return errc::invalid_argument;
        if (!account->look_at_peers([&](const socket::peer_statistics& peer) { to.put(shown(peer)); })) {
            return errc::not_a_socket;
        }
        *count = to.offered();
        return errc::none;
    });
    return explained(done, of_structures);
}

int zlink_context_stats(void* handle, zlink_stats_t* stats, size_t* count)
{
    const socket::context* const c = as_context(handle);
    if (!c) return -1;
    const int done = guarded([&] {
        if (!count || (!stats && *count != 0)) return errc::bad_address;
        sized_structs to(stats, *count);
        if (!to.is_sound()) return errc::invalid_argument;
        for (const auto& account : socket::live_sockets::all_of(*c)) {
            socket::socket_statistics now;
            if (account->look(now)) to.put(shown(now));
        }
        *count = to.offered();
        return errc::none;
    });
    return explained(done, of_structures);
}
