// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "stats/metrics_text.hpp"

#include "stats/labels.hpp"
#include "stats/text_escapes.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace zlink::stats {

namespace {

template <class Of>
struct series {
    std::string_view label, value;  ///< one more label; empty: none
    std::uint64_t (*number)(const Of& of);
};

template <class Of>
struct family {
    std::string_view name, type, help;
    std::span<const series<Of>> all;
    bool in_microseconds = false;  ///< told in seconds, and left out while it is 0: not known
};

using socket_numbers = socket::socket_statistics;
using peer_numbers = socket::peer_statistics;

namespace tables {

constexpr std::string_view counter = "counter";
constexpr std::string_view gauge = "gauge";

// Those that failed for another reason than the two that are counted apart. The three are looked at one after the
// other.
std::uint64_t other_failures(const socket_numbers& s) noexcept
{
    return s.failed_handshakes - std::min(s.failed_handshakes, s.protocol_errors + s.refused);
}

constexpr series<socket_numbers> sent[] = {{"", "", [](const socket_numbers& s) { return s.messages.sent.messages; }}};
constexpr series<socket_numbers> received[] = {
    {"", "", [](const socket_numbers& s) { return s.messages.received.messages; }}};
constexpr series<socket_numbers> sent_bytes[] = {
    {"", "", [](const socket_numbers& s) { return s.messages.sent.octets; }}};
constexpr series<socket_numbers> received_bytes[] = {
    {"", "", [](const socket_numbers& s) { return s.messages.received.octets; }}};
constexpr series<socket_numbers> dropped[] = {
    {"reason", "full", [](const socket_numbers& s) { return s.messages.no_room; }},
    {"reason", "replaced", [](const socket_numbers& s) { return s.messages.replaced; }},
    {"reason", "unwanted", [](const socket_numbers& s) { return s.messages.unwanted; }},
    {"reason", "no_peer", [](const socket_numbers& s) { return s.no_peer; }},
    {"reason", "no_match", [](const socket_numbers& s) { return s.no_match; }},
    {"reason", "unroutable", [](const socket_numbers& s) { return s.unroutable; }},
    {"reason", "unsent", [](const socket_numbers& s) { return s.unsent; }},
    {"reason", "unread", [](const socket_numbers& s) { return s.unread; }}};
constexpr series<socket_numbers> queued[] = {
    {"direction", "in", [](const socket_numbers& s) { return s.messages.queued_in.messages; }},
    {"direction", "out", [](const socket_numbers& s) { return s.messages.queued_out.messages; }}};
constexpr series<socket_numbers> queued_bytes[] = {
    {"direction", "in", [](const socket_numbers& s) { return s.messages.queued_in.octets; }},
    {"direction", "out", [](const socket_numbers& s) { return s.messages.queued_out.octets; }}};
constexpr series<socket_numbers> peers[] = {{"", "", [](const socket_numbers& s) { return peers_of(s); }}};
constexpr series<socket_numbers> send_waits[] = {{"", "", [](const socket_numbers& s) { return s.waits; }}};
constexpr series<socket_numbers> held[] = {{"", "", [](const socket_numbers& s) { return s.held; }}};
constexpr series<socket_numbers> late[] = {{"", "", [](const socket_numbers& s) { return s.held_late; }}};
constexpr series<socket_numbers> pauses[] = {{"", "", [](const socket_numbers& s) { return s.pauses; }}};
constexpr series<socket_numbers> io_waits[] = {{"", "", [](const socket_numbers& s) { return s.io_waits; }}};
constexpr series<socket_numbers> cap[] = {{"", "", [](const socket_numbers& s) { return s.cap; }}};
constexpr series<socket_numbers> cap_queued[] = {{"", "", [](const socket_numbers& s) { return s.cap_queued; }}};
constexpr series<socket_numbers> cap_waits[] = {{"", "", [](const socket_numbers& s) { return s.cap_waits; }}};
constexpr series<socket_numbers> shared_bodies[] = {
    {"direction", "in", [](const socket_numbers& s) { return s.shared_received; }},
    {"direction", "out", [](const socket_numbers& s) { return s.shared_sent; }}};
constexpr series<socket_numbers> shared_memory[] = {
    {"direction", "in", [](const socket_numbers& s) { return s.shared_taken; }},
    {"direction", "out", [](const socket_numbers& s) { return s.shared_made; }}};
constexpr series<socket_numbers> system_calls[] = {
    {"call", "read", [](const socket_numbers& s) { return s.messages.reads; }},
    {"call", "write", [](const socket_numbers& s) { return s.messages.writes; }}};
constexpr series<socket_numbers> connects[] = {{"", "", [](const socket_numbers& s) { return s.connects; }}};
constexpr series<socket_numbers> disconnects[] = {{"", "", [](const socket_numbers& s) { return s.disconnects; }}};
constexpr series<socket_numbers> reconnects[] = {{"", "", [](const socket_numbers& s) { return s.reconnects; }}};
constexpr series<socket_numbers> connect_failures[] = {
    {"", "", [](const socket_numbers& s) { return s.failed_connects; }}};
constexpr series<socket_numbers> handshake_failures[] = {
    {"reason", "protocol", [](const socket_numbers& s) { return s.protocol_errors; }},
    {"reason", "refused", [](const socket_numbers& s) { return s.refused; }},
    {"reason", "other", [](const socket_numbers& s) { return other_failures(s); }}};
constexpr series<socket_numbers> silences[] = {{"", "", [](const socket_numbers& s) { return s.silences; }}};

constexpr family<socket_numbers> of_sockets[] = {
    {"zlink_messages_sent_total", counter, "Messages put into the queues for peers.", sent},
    {"zlink_messages_received_total", counter, "Messages taken out of the queues of what peers have sent.", received},
    {"zlink_bytes_sent_total", counter, "Bytes of the messages sent, with the headers of their frames.", sent_bytes},
    {"zlink_bytes_received_total", counter, "Bytes of the messages received, with the headers of their frames.",
     received_bytes},
    {"zlink_messages_dropped_total", counter, "Messages that were lost or not sent.", dropped},
    {"zlink_queue_messages", gauge, "Messages that wait in the queues.", queued},
    {"zlink_queue_bytes", gauge, "Bytes that wait in the queues.", queued_bytes},
    {"zlink_peers", gauge, "Peers that are connected.", peers},
    {"zlink_send_waits_total", counter, "Sends that slept, as no peer had room.", send_waits},
    {"zlink_held_sends_total", counter, "Messages that were held back, to go out together with the next ones.", held},
    {"zlink_late_sends_total", counter, "Messages that were held back for longer than the rule wants.", late},
    {"zlink_paused_sends_total", counter, "Sends that slept behind large messages, which the peers had not read.",
     pauses},
    {"zlink_io_waits_total", counter, "Sends that waited for an I/O thread that was late with their queue.", io_waits},
    {"zlink_context_cap_bytes", gauge, "The most that may wait in the queues of the socket's context; 0: any number.",
     cap},
    {"zlink_context_queue_bytes", gauge, "Bytes that count against that.", cap_queued},
    {"zlink_context_cap_waits_total", counter, "Times that a queue had to wait for that.", cap_waits},
    {"zlink_shared_bodies_total", counter, "Bodies that went by memory that both processes have.", shared_bodies},
    {"zlink_shared_memory_bytes", gauge, "That memory.", shared_memory},
    {"zlink_system_calls_total", counter, "Calls to read from connections and to write to them.", system_calls},
    {"zlink_connects_total", counter, "Peers that came, through the handshake.", connects},
    {"zlink_disconnects_total", counter, "Peers that were lost, or let go.", disconnects},
    {"zlink_reconnects_total", counter, "Connects of an endpoint that had been connected before.", reconnects},
    {"zlink_connect_failures_total", counter, "Attempts that made no connection.", connect_failures},
    {"zlink_handshake_failures_total", counter, "Connections that did not get through the handshake.",
     handshake_failures},
    {"zlink_heartbeat_failures_total", counter, "Connections ended because the peer did not answer heartbeats.",
     silences}};

constexpr series<peer_numbers> peer_sent[] = {{"", "", [](const peer_numbers& p) { return p.messages.sent.messages; }}};
constexpr series<peer_numbers> peer_received[] = {
    {"", "", [](const peer_numbers& p) { return p.messages.received.messages; }}};
constexpr series<peer_numbers> peer_sent_bytes[] = {
    {"", "", [](const peer_numbers& p) { return p.messages.sent.octets; }}};
constexpr series<peer_numbers> peer_received_bytes[] = {
    {"", "", [](const peer_numbers& p) { return p.messages.received.octets; }}};
constexpr series<peer_numbers> peer_dropped[] = {
    {"reason", "full", [](const peer_numbers& p) { return p.messages.no_room; }},
    {"reason", "replaced", [](const peer_numbers& p) { return p.messages.replaced; }},
    {"reason", "unwanted", [](const peer_numbers& p) { return p.messages.unwanted; }}};
constexpr series<peer_numbers> peer_queued[] = {
    {"direction", "in", [](const peer_numbers& p) { return p.messages.queued_in.messages; }},
    {"direction", "out", [](const peer_numbers& p) { return p.messages.queued_out.messages; }}};
constexpr series<peer_numbers> peer_round_trip[] = {
    {"", "", [](const peer_numbers& p) { return std::uint64_t(p.round_trip.count()); }}};
constexpr series<peer_numbers> peer_connected[] = {
    {"", "", [](const peer_numbers& p) { return std::uint64_t(p.connected); }}};

constexpr family<peer_numbers> of_peers[] = {
    {"zlink_peer_messages_sent_total", counter, "Messages put into the queue for the peer.", peer_sent},
    {"zlink_peer_messages_received_total", counter, "Messages of the peer taken out of its queue.", peer_received},
    {"zlink_peer_bytes_sent_total", counter, "Bytes of the messages sent to the peer.", peer_sent_bytes},
    {"zlink_peer_bytes_received_total", counter, "Bytes of the messages received from the peer.", peer_received_bytes},
    {"zlink_peer_messages_dropped_total", counter, "Messages to or from the peer that were lost.", peer_dropped},
    {"zlink_peer_queue_messages", gauge, "Messages that wait in the queues of the peer.", peer_queued},
    {"zlink_peer_round_trip_seconds", gauge, "Of the last heartbeat that was answered.", peer_round_trip, true},
    {"zlink_peer_connected", gauge, "1 if the peer is there, 0 if its messages wait for a connection.",
     peer_connected}};

}  // namespace tables

std::string in_seconds(std::uint64_t microseconds)
{
    constexpr std::uint64_t second = 1'000'000;
    return std::to_string(microseconds / second) + "." + std::to_string(second + microseconds % second).substr(1);
}

class metrics_writer {
public:
    void begin(std::string_view name, std::string_view type, std::string_view help)
    {
        for (const auto& [word, what] : {std::pair("# HELP ", help), std::pair("# TYPE ", type)}) {
            out_ += word;
            out_ += name;
            out_ += ' ';
            out_ += what;
            out_ += '\n';
        }
    }
    /// `labels`: finished ones, `socket="feed"`, with commas between them.
    void sample(std::string_view name, std::string_view labels, std::string_view label, std::string_view value,
                std::string_view number)
    {
        out_ += name;
        if (!labels.empty() || !label.empty()) {
            out_ += '{';
            out_ += labels;
            if (!label.empty()) {
                if (!labels.empty()) out_ += ',';
                out_ += label;
                out_ += '=';
                put_label_value(out_, value);
            }
            out_ += '}';
        }
        out_ += ' ';
        out_ += number;
        out_ += '\n';
    }
    template <class Of>
    void samples(const family<Of>& which, std::string_view labels, const Of& of)
    {
        for (const auto& one : which.all) {
            const std::uint64_t number = one.number(of);
            if (!which.in_microseconds) {
                sample(which.name, labels, one.label, one.value, std::to_string(number));
            } else if (number != 0) {
                sample(which.name, labels, one.label, one.value, in_seconds(number));
            }
        }
    }
    [[nodiscard]] std::string take() { return std::move(out_); }

private:
    std::string out_;
};

void add_label(std::string& to, std::string_view name, std::string_view value)
{
    if (!to.empty()) to += ',';
    to += name;
    to += '=';
    put_label_value(to, value);
}

template <class Of>
struct labelled {
    std::string labels;
    const Of* of;
};

std::string labels_of_process(const process_report& one, process_labels labels)
{
    std::string text;
    if (labels == process_labels::yes) {
        add_label(text, "pid", std::to_string(one.process));
        add_label(text, "program", one.program);
    }
    return text;
}

void add_peers(std::vector<labelled<peer_numbers>>& to, const std::string& labels, const socket_report& of)
{
    different_texts names;
    std::uint64_t number = 0;
    for (const auto& one : of.peers) {
        std::string all = labels;
        add_label(all, "peer", names.add(one.address.empty() ? one.endpoint : one.address, ++number));
        to.push_back({std::move(all), &one});
    }
}

}  // namespace

std::string metrics_of(std::span<const process_report> what, process_labels labels)
{
    std::vector<labelled<socket_numbers>> sockets;
    std::vector<labelled<peer_numbers>> all_peers;
    metrics_writer out;
    out.begin("zlink_build_info", tables::gauge, "1, with the version of zlink.");
    for (const auto& process : what) {
        std::string own = labels_of_process(process, labels);
        for (const auto& one : process.sockets) {
            std::string all = own;
            add_label(all, "socket", one.label);
            add_label(all, "type", name_of(one.numbers.type));
            add_peers(all_peers, all, one);
            sockets.push_back({std::move(all), &one.numbers});
        }
        out.sample("zlink_build_info", own, "version", process.version, "1");
    }
    out.begin("zlink_sockets", tables::gauge, "Sockets that are open.");
    for (const auto& process : what) {
        out.sample("zlink_sockets", labels_of_process(process, labels), "", "", std::to_string(process.sockets.size()));
    }
    for (const auto& each : tables::of_sockets) {
        out.begin(each.name, each.type, each.help);
        for (const auto& one : sockets) out.samples(each, one.labels, *one.of);
    }
    if (all_peers.empty()) return out.take();
    for (const auto& each : tables::of_peers) {
        out.begin(each.name, each.type, each.help);
        for (const auto& one : all_peers) out.samples(each, one.labels, *one.of);
    }
    return out.take();
}

}  // namespace zlink::stats
