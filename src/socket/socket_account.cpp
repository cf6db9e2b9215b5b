// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/socket_account.hpp"

#include "runtime/pause.hpp"
#include "shm/sending_memory.hpp"
#include "socket/pipe_record.hpp"

#include <chrono>
#include <utility>

namespace zlink::socket {

namespace {

std::uint64_t next_number() noexcept
{
    static std::atomic<std::uint64_t> made{0};
    return made.fetch_add(1, std::memory_order_relaxed) + 1;  // a number alone: it orders nothing
}

// The side that a look meets in the middle of a step may have lost its core: give it ours.
constexpr int most_looks = 1000;

pipe::flow flow_from(const pipe::pipe_end& end) noexcept
{
    for (int i = 0; i < most_looks; ++i) {
        if (const auto seen = end.look_at_outbound()) return *seen;
        runtime::yield();
    }
    return {};
}

message_counts counts_of(const pipe::pipe_end& end) noexcept
{
    const pipe::flow in = flow_from(end.peer());
    const pipe::flow out = flow_from(end);
    const pipe::connection_counts& connection = end.parent().io.counts;
    // Between two sockets, each counts what its own rule has dropped.
    const bool joined = record_of(end).account.joins_sockets;
    const bool counts_out = !joined || !out.readers_rule, counts_in = !joined || in.readers_rule;
    const std::uint64_t lost_out = out.replaced.messages + out.refused.messages;
    pipe::traffic sent = out.put;
    sent += {connection.greetings.look(), connection.greeting_octets.look()};
    return {sent,
            in.taken,
            out.queued,
            in.queued,
            end.no_room.look() + (counts_in ? in.refused.messages : 0),
            (counts_out ? lost_out : 0) + (counts_in ? in.replaced.messages : 0),
            end.unwanted.look(),
            connection.reads.look(),
            connection.writes.look()};
}

}  // namespace

socket_account::socket_account(socket_type type, bounds under)
    : number_(next_number()),
      type_(type),
      began_(runtime::clock::now()),
      under_(std::move(under))
{}

void socket_account::set_name(const std::string& name)
{
    std::string copy = name;
    const auto held = hold();
    std::swap(name_, copy);
}

void socket_account::join(pipe::pipe_end& end, std::string_view endpoint)
{
    const auto held = hold();
    if (pipes_.size() == pipes_.capacity()) pipes_.reserve(2 * pipes_.size() + 2);
    const auto [at, added] = endpoints_.try_emplace(record_of(end).endpoint_id);
    if (added) {
        try {
            at->second.text = endpoint;
        } catch (...) {
            endpoints_.erase(at);
            throw;
        }
    }
    ++at->second.pipes;
    record_of(end).account.index = std::uint32_t(pipes_.size());
    pipes_.push_back(&end);
}

void socket_account::leave(pipe::pipe_end& end) noexcept
{
    if (!end.record || record_of(end).account.index == account_entry::not_there) return;
    const auto held = hold();
    account_entry& entry = record_of(end).account;
    pipes_[entry.index] = pipes_.back();
    record_of(*pipes_[entry.index]).account.index = entry.index;
    pipes_.pop_back();
    entry.index = account_entry::not_there;
    const auto at = endpoints_.find(record_of(end).endpoint_id);
    if (at != endpoints_.end() && --at->second.pipes == 0) endpoints_.erase(at);

    message_counts last = counts_of(end);
    unread_ += last.queued_in.messages;
    // Otherwise the session writes it, or finds that it cannot. Between two sockets, the other one reads it, or counts
    // it as unread.
    if (end.peer_has_left() && !entry.joins_sockets)
        connection_counts::count(connections.unsent, last.queued_out.messages);
    last.queued_in = last.queued_out = {};
    gone_ += last;
    if (entry.joins_sockets && std::exchange(entry.connected, false)) connection_counts::count(connections.disconnects);
}

void socket_account::lost_connection(pipe::pipe_end& end) noexcept
{
    const auto held = hold();
    if (end.record) record_of(end).account.connected = false;
}

void socket_account::end() noexcept
{
    const auto held = hold();
    ended_ = true;
    pipes_.clear();
}

message::buffer* socket_account::lend(std::size_t size) noexcept
{
    const auto& shared = under_.shared_bodies;
    if (!shared || size < shared->limits().least) return nullptr;
    const auto memory = shared->memories.sole();
    return memory ? memory->lend(size) : nullptr;
}

void socket_account::note_error(std::string_view words, std::uint64_t connected) noexcept
{
    try {
        std::string copy(words), another(connected != 0 ? words : std::string_view());
        const auto held = hold();
        std::swap(last_error_, copy);
        if (connected == 0) return;
        if (const auto at = endpoints_.find(connected); at != endpoints_.end())
            std::swap(at->second.last_error, another);
    } catch (...) {  // then the one before stays
    }
}

bool socket_account::look(socket_statistics& at)
{
    const auto age = runtime::clock::now() - began_;
    const auto held = hold();
    if (ended_) return false;
    at.number = number_;
    at.type = type_;
    at.name = name_;
    at.age = std::chrono::duration_cast<std::chrono::milliseconds>(age);
    at.messages = gone_;
    at.messages.no_room += full_.look();
    for (const pipe::pipe_end* end : pipes_) at.messages += counts_of(*end);
    at.no_peer = dropped_[std::size_t(pattern::drop_reason::no_peer)].look();
    at.no_match = dropped_[std::size_t(pattern::drop_reason::no_match)].look();
    at.unroutable = dropped_[std::size_t(pattern::drop_reason::unroutable)].look();
    at.unread = unread_;
    at.waits = load.waits.look();
    at.held = load.held.look();
    at.held_late = load.held_late.look();
    at.pauses = load.pauses.look();
    at.io_waits = load.io_waits.look();
    const auto now = [](const std::atomic<std::uint64_t>& of) { return of.load(std::memory_order_relaxed); };
    at.unsent = now(connections.unsent);
    // Disconnects first: of two that follow each other, the second is not seen without the first.
    at.disconnects = now(connections.disconnects);
    at.reconnects = now(connections.reconnects);
    at.connects = now(connections.connects);
    at.failed_connects = now(connections.failed_connects);
    at.failed_handshakes = now(connections.failed_handshakes);
    at.protocol_errors = now(connections.protocol_errors);
    at.refused = now(connections.refused);
    at.silences = now(connections.silences);
    at.last_error = last_error_;
    at.cap = under_.cap->limit();
    at.cap_queued = under_.cap->queued();
    at.cap_waits = under_.cap->waits();
    if (const auto& shared = under_.shared_bodies) {
        at.shared_sent = shared->made.bodies();
        at.shared_received = shared->taken.bodies();
        at.shared_made = shared->made.used();
        at.shared_taken = shared->taken.used();
    }
    return true;
}

bool socket_account::look_at_peers(const std::function<void(const peer_statistics&)>& each)
{
    const auto held = hold();
    if (ended_) return false;
    for (const pipe::pipe_end* end : pipes_) {
        const pipe_record& record = record_of(*end);
        peer_statistics peer;
        if (const auto at = endpoints_.find(record.endpoint_id); at != endpoints_.end()) {
            peer.endpoint = at->second.text;
            peer.last_error = at->second.last_error;
        }
        peer.address = record.other_endpoint;
        peer.routing_id = record.routing_id;
        if (const auto& known = record.account.peer) {
            if (peer.routing_id.empty()) peer.routing_id = known->routing_id;
            peer.user_id = known->user_id;
        }
        peer.mechanism = record.account.mechanism;
        peer.connected = record.account.connected;
        peer.round_trip = std::chrono::microseconds(end->parent().io.counts.round_trip.look());
        peer.messages = counts_of(*end);
        each(peer);
    }
    return true;
}

}  // namespace zlink::socket
