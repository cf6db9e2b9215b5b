// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/connection/command_path.hpp"

#include "base/invariant.hpp"
#include "engine/connection/body_sharing.hpp"
#include "message/group_key.hpp"
#include "pipe/receive_count.hpp"
#include "runtime/clock.hpp"
#include "wire/control_command.hpp"
#include "zmtp/command.hpp"
#include "zmtp/membership.hpp"
#include "zmtp/subscription.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <new>
#include <utility>

namespace zlink::engine {

namespace {

bool publishes_to_groups(zmtp::socket_type type) noexcept
{
    return traits(type).publishes && traits(type).has_groups;
}

bool publishes_topics(zmtp::socket_type type) noexcept
{
    return traits(type).publishes && !traits(type).has_groups;
}

}  // namespace

command_path::command_path(traffic_context& at, path_owner& owner)
    : at_(at),
      owner_(owner),
      heartbeat_(at.worker.loop(), *this)
{}

bool command_path::on_command(std::span<const std::byte> body) noexcept
{
    invariant([this] { return at_.worker_reads(); });
    const auto parsed = zmtp::parse_command(body);
    if (!parsed) return false;
    switch (parsed->kind) {
    case zmtp::command_kind::ping: return answer_ping(parsed->data);
    case zmtp::command_kind::pong: note_answer(); return true;
    case zmtp::command_kind::subscribe:
    case zmtp::command_kind::cancel:
        if (const auto s = zmtp::subscription_from_command(*parsed); s && publishes_topics(at_.options.type)) {
            return deliver_subscription(s->subscribe, s->topic);
        }
        return false;  // out of place: a peer of another type has nothing to subscribe to
    case zmtp::command_kind::join:
    case zmtp::command_kind::leave:
        if (const auto m = zmtp::membership_from_command(*parsed); m && publishes_to_groups(at_.options.type)) {
            return deliver_subscription(m->join, message::group_key(m->group).octets());
        }
        return false;  // as above, or too long
    case zmtp::command_kind::error:
    case zmtp::command_kind::ready: return false;
    case zmtp::command_kind::unknown:
        return !sharing_ || !parsed->name.starts_with(shm::name_prefix) ||
               sharing_->on_command(parsed->name, parsed->data);
    }
    return true;
}

// Controls of the framing: the wire knows their answers by the names control_pong and control_close.
bool command_path::on_ping(std::span<const std::byte> payload) noexcept
{
    invariant([this] { return at_.worker_reads(); });
    return put_control(wire::control_pong, payload);
}

bool command_path::on_close(std::span<const std::byte> code) noexcept
{
    invariant([this] { return at_.worker_reads(); });
    at_.advance(traffic_life::peer_closing);
    return put_control(wire::control_close, code);
}

bool command_path::put_control(std::string_view name, std::span<const std::byte> payload) noexcept
{
    try {
        begin_wait();
        out_.put_control(wire::control_command(name, payload));
    } catch (...) {
        out_of_memory_ = true;
        return false;
    }
    at_.end->notify(pipe::event_data);  // write(), once this read is done
    return true;
}

bool command_path::answer_ping(std::span<const std::byte> data) noexcept
{
    const auto ping = zmtp::parse_ping(data);
    if (!ping) return false;
    begin_wait();
    out_.put_pongs(heartbeat_.on_ping(*ping).bytes());
    at_.end->notify(pipe::event_data);  // write(), once this read is done
    return true;
}

void command_path::note_exchange() noexcept
{
    invariant([this] { return at_.on_worker(); });
    begin_wait();
    at_.end->notify(pipe::event_data);  // write(), once this read is done
}

void command_path::begin_wait() noexcept
{
    if (!std::exchange(waiting_, true)) waiting_since_ = runtime::clock::now();
}

void command_path::hand_to(connection_writer& to) noexcept
{
    const auto waited = runtime::clock::now() - waiting_since_;
    to.send_commands(out_, waited >= heartbeat_.patience());
    if (sharing_) sharing_->queue().take_up();
}

void command_path::handed_over(const connection_writer& writer, bool progress) noexcept
{
    invariant([this] { return out_.empty(); });  // pass_on() came before
    waiting_ = !writer.commands_written();
    // Until a PING has left, a peer that takes octets does not count as silent.
    if (progress) heartbeat_.on_progress(!waiting_);
}

bool command_path::deliver_subscription(bool subscribe, std::span<const std::byte> topic) noexcept
{
    invariant([this] { return at_.worker_reads(); });
    if (at_.end->writer.in_message()) return false;
    try {
        std::vector<std::byte> body;
        body.reserve(topic.size() + 1);
        body.push_back(std::byte(subscribe ? 1 : 0));
        body.insert(body.end(), topic.begin(), topic.end());
        if (!at_.end->writer.write({body.data(), body.size(), false})) throw std::bad_alloc();
        // The program sees the subscriptions of an XPUB alone.
        if (at_.options.type == zmtp::socket_type::xpub) pipe::count_receive();
        at_.end->writer.publish();
        at_.end->wake_reader();
        return true;
    } catch (...) {
        out_of_memory_ = true;
        return false;
    }
}

void command_path::start_heartbeat() noexcept
{
    const connection_options& c = at_.options.connection;
    if (c.heartbeat_ivl.count() <= 0 || !at_.frames.has_heartbeats(at_.version)) return;
    heartbeat_.start({c.heartbeat_ivl, c.heartbeat_ttl, c.heartbeat_timeout});
}

void command_path::send_ping(std::span<const std::byte> frame) noexcept
{
    invariant([this] { return at_.on_worker(); });
    begin_wait();
    out_.put_ping(frame);
    owner_.on_output();
}

void command_path::note_answer() noexcept
{
    const auto took = heartbeat_.on_pong();
    if (!took) return;
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(*took).count();
    at_.end->parent().io.counts.round_trip.set(std::max<std::uint64_t>(1, std::uint64_t(us)));
}

// Octets that the stream has. If reading is paused because the inbound lane is full, the peer is not silent.
bool command_path::has_unread_octets() noexcept
{
    return at_.stream.has_unread_octets();
}

}  // namespace zlink::engine
