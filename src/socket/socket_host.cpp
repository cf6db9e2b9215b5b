// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/socket_host.hpp"

#include "socket/context.hpp"
#include "socket/knobs.hpp"
#include "socket/mailbox.hpp"
#include "transport/registry.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace zlink::socket {

namespace {

// RFC 27; without its scheme.
constexpr std::string_view zap_handler_name = "zeromq.zap.01";

}  // namespace

errc socket_host::attach(pipe::pipe_end& end, engine::peer_attachment peer, std::uint64_t endpoint_id) noexcept
{
    command c = command::of(command::kind::attach, end, endpoint_id);
    c.how.identified = true;
    c.how.routing_id = std::move(peer.routing_id);
    c.other_endpoint = std::move(peer.other_endpoint);
    c.user_id = std::move(peer.user_id);
    c.mechanism = peer.mechanism;
    return mailbox_.post(std::move(c));
}

bool socket_host::identified(pipe::pipe_end& end, engine::peer_attachment peer, bool again) noexcept
{
    command c = command::of(command::kind::identified, end);
    c.again = again;
    c.how.routing_id = std::move(peer.routing_id);
    c.other_endpoint = std::move(peer.other_endpoint);
    c.user_id = std::move(peer.user_id);
    c.mechanism = peer.mechanism;
    if (mailbox_.post(std::move(c)) == errc::out_of_memory) return false;
    if (again) connection_counts::count(account_->connections.reconnects);
    return true;
}

void socket_host::disconnected(pipe::pipe_end& end) noexcept
{
    command c = command::of(command::kind::disconnected, end);
    c.received = end.peer().writer.written();  // the I/O thread's end
    (void)mailbox_.post(std::move(c));
}

void socket_host::ended(std::uint64_t endpoint_id) noexcept
{
    (void)mailbox_.post({command::kind::ended, nullptr, {}, endpoint_id});
}

void socket_host::count(engine::session_count what, std::uint64_t n) noexcept
{
    connection_counts& counts = account_->connections;
    switch (what) {
    case engine::session_count::connected: return connection_counts::count(counts.connects, n);
    case engine::session_count::disconnected: return connection_counts::count(counts.disconnects, n);
    case engine::session_count::connect_failed: return connection_counts::count(counts.failed_connects, n);
    case engine::session_count::silent: return connection_counts::count(counts.silences, n);
    case engine::session_count::unsent: return connection_counts::count(counts.unsent, n);
    }
}

void socket_host::count_failure(engine::monitor_event event) noexcept
{
    connection_counts& counts = account_->connections;
    switch (event) {
    case engine::monitor_event::handshake_failed_protocol: connection_counts::count(counts.protocol_errors); break;
    case engine::monitor_event::handshake_failed_auth: connection_counts::count(counts.refused); break;
    case engine::monitor_event::handshake_failed_no_detail: break;
    default: return;
    }
    connection_counts::count(counts.failed_handshakes);
}

result<pipe::pipe_end*> socket_host::reach_zap_handler() noexcept
{
    // Unlimited: the pipe carries one request and one reply.
    const data_path_settings path = settings_for(transport::transport_of_names());
    pipe::pipe* p = pipe::pipe::create({0, 0, path.writev_threshold});
    if (!p) return errc::out_of_memory;
    result<pipe::pipe_end*> mine = nullptr;
    try {
        if (context_.names().connect_if_bound(std::string(zap_handler_name), p->second())) return &p->first();
    } catch (...) {
        mine = errc::out_of_memory;
    }
    p->second().close();
    p->first().close();
    return mine;
}

void socket_host::leave_zap_handler(pipe::pipe_end& end) noexcept
{
    context_.names().hang_up(std::string(zap_handler_name), end.peer());
    end.close();
}

}  // namespace zlink::socket
