// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a process tells of its sockets, and the names of the numbers. Values: the library fills them, and the tool reads
// them back from what was served.
#pragma once

#include "base/socket_types.hpp"
#include "socket/statistics.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::stats {

struct socket_report {
    socket::socket_statistics numbers;
    std::string label;  ///< different for each socket of the process
    std::vector<socket::peer_statistics> peers;
};

struct process_report {
    std::string version;  ///< zlink's
    std::int64_t process = 0;
    std::string program;
    bool with_peers = false;
    std::vector<socket_report> sockets;
};

/// "ROUTER". Types that do not speak ZMTP have a name, too.
[[nodiscard]] constexpr std::string_view name_of(socket_type type) noexcept
{
    if (type == socket_type::stream) return "STREAM";
    return type == socket_type::dgram ? "DGRAM" : traits(type).wire_name;
}

/// Calls `visit(name, number)` for each number of messages; `of` may be const. The names are those of zlink.h.
template <class Counts, class Visit>
void each_count(Counts& of, Visit&& visit)
{
    visit("messages_sent", of.sent.messages);
    visit("octets_sent", of.sent.octets);
    visit("messages_received", of.received.messages);
    visit("octets_received", of.received.octets);
    visit("messages_queued_out", of.queued_out.messages);
    visit("octets_queued_out", of.queued_out.octets);
    visit("messages_queued_in", of.queued_in.messages);
    visit("octets_queued_in", of.queued_in.octets);
    visit("dropped_full", of.no_room);
    visit("dropped_replaced", of.replaced);
    visit("dropped_unwanted", of.unwanted);
    visit("system_reads", of.reads);
    visit("system_writes", of.writes);
}

/// The same for each number of a socket, those of its messages included.
template <class Statistics, class Visit>
void each_number(Statistics& of, Visit&& visit)
{
    visit("number", of.number);
    each_count(of.messages, visit);
    visit("dropped_no_peer", of.no_peer);
    visit("dropped_no_match", of.no_match);
    visit("dropped_unroutable", of.unroutable);
    visit("dropped_unsent", of.unsent);
    visit("dropped_unread", of.unread);
    visit("send_waits", of.waits);
    visit("held_sends", of.held);
    visit("late_sends", of.held_late);
    visit("paused_sends", of.pauses);
    visit("io_waits", of.io_waits);
    visit("context_cap", of.cap);
    visit("context_queued", of.cap_queued);
    visit("context_cap_waits", of.cap_waits);
    visit("shared_bodies_sent", of.shared_sent);
    visit("shared_bodies_received", of.shared_received);
    visit("shared_memory_made", of.shared_made);
    visit("shared_memory_taken", of.shared_taken);
    visit("connects", of.connects);
    visit("disconnects", of.disconnects);
    visit("reconnects", of.reconnects);
    visit("failed_connects", of.failed_connects);
    visit("failed_handshakes", of.failed_handshakes);
    visit("protocol_errors", of.protocol_errors);
    visit("refused", of.refused);
    visit("silences", of.silences);
}

[[nodiscard]] inline std::uint64_t peers_of(const socket::socket_statistics& of) noexcept
{
    return of.connects > of.disconnects ? of.connects - of.disconnects : 0;
}

/// Messages that were lost or not sent, for any reason.
[[nodiscard]] inline std::uint64_t dropped_of(const socket::socket_statistics& of) noexcept
{
    return of.messages.no_room + of.messages.replaced + of.messages.unwanted + of.no_peer + of.no_match +
           of.unroutable + of.unsent + of.unread;
}

}  // namespace zlink::stats
