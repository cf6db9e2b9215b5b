// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// connection_traffic: what commands in the stream do, and heartbeats.
#include "engine/connection_traffic.hpp"

#include "pipe/arrivals.hpp"
#include "runtime/clock.hpp"
#include "zmtp/command.hpp"
#include "zmtp/subscription.hpp"

#include <chrono>
#include <utility>

namespace zlink::engine {

bool connection_traffic::on_command(std::span<const std::byte> body) noexcept
{
    const auto parsed = zmtp::parse_command(body);
    if (!parsed) return false;
    switch (parsed->kind) {
    case zmtp::command_kind::ping: return answer_ping(parsed->data);
    case zmtp::command_kind::pong: return true;
    case zmtp::command_kind::subscribe:
    case zmtp::command_kind::cancel:
        if (const auto s = zmtp::subscription_from_command(*parsed); s && publishes(options_.type)) {
            return deliver_subscription(s->subscribe, s->topic);
        }
        return false;  // out of place: peers of other types have nothing to subscribe to
    case zmtp::command_kind::error:
    case zmtp::command_kind::ready: return false;
    case zmtp::command_kind::unknown: return true;
    }
    return true;
}

// Frames of WebSocket: the wire knows them by these names.
bool connection_traffic::on_ping(std::span<const std::byte> payload) noexcept
{
    return put_control(wire::zws_pong, payload);
}

bool connection_traffic::on_close(std::span<const std::byte> code) noexcept
{
    peer_closes_ = true;
    return put_control(wire::zws_close, code);
}

bool connection_traffic::put_control(std::string_view name, std::span<const std::byte> payload) noexcept
{
    try {
        commands_come();
        commands_out_.put_control(wire::zws_control(name, payload));
    } catch (...) {
        return false;
    }
    end_->notify(pipe::event_data);  // write(), once this read is done
    return true;
}

bool connection_traffic::answer_ping(std::span<const std::byte> data) noexcept
{
    const auto ping = zmtp::parse_ping(data);
    if (!ping) return false;
    commands_come();
    commands_out_.put_pongs(heartbeat_.on_ping(*ping).bytes());
    end_->notify(pipe::event_data);  // write(), once this read is done
    return true;
}

void connection_traffic::commands_come() noexcept
{
    if (!std::exchange(commands_wait_, true)) commands_since_ = runtime::clock::now();
}

// The write token is held.
void connection_traffic::pass_commands_on() noexcept
{
    const auto waited = runtime::clock::now() - commands_since_;
    writer_.send_commands(commands_out_, waited >= heartbeat_.patience());
}

// Subscriptions travel to the socket as messages: 1 or 0, then the topic.
bool connection_traffic::deliver_subscription(bool subscribe, std::span<const std::byte> topic) noexcept
{
    if (end_->writer.in_message()) return false;
    try {
        std::vector<std::byte> body;
        body.reserve(topic.size() + 1);
        body.push_back(std::byte(subscribe ? 1 : 0));
        body.insert(body.end(), topic.begin(), topic.end());
        if (!end_->writer.write({body.data(), body.size(), false})) return false;
        // Of a PUB the program sees nothing.
        if (options_.type != zmtp::socket_type::pub) pipe::note_arrival();
        end_->writer.publish();
        tell_reader();
        return true;
    } catch (...) {
        return false;
    }
}

void connection_traffic::start_heartbeat() noexcept
{
    const connection_options& c = options_.connection;
    // libzmq 4.2 to 4.3.2 announce 3.0 and have heartbeats.
    if (c.heartbeat_ivl.count() <= 0 || version_ < zmtp::protocol_version::zmtp_3_0 || options_.raw) return;
    heartbeat_.start({c.heartbeat_ivl, c.heartbeat_ttl, c.heartbeat_timeout});
}

void connection_traffic::send_ping(std::span<const std::byte> frame) noexcept
{
    commands_come();
    commands_out_.put_ping(frame);
    if (!write_blocked_) write();
}

// Those that the stream has: where nobody reads, as the inbound lane is full, that is no silence of the peer's.
bool connection_traffic::has_unread_octets() noexcept
{
    return stream_.has_unread_octets();
}

void connection_traffic::on_silence() noexcept
{
    over(ending::timed_out);
}

}  // namespace zlink::engine
