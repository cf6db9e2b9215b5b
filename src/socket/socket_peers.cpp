// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// socket: calls for one peer, or one group of peers.
#include "socket/descriptor_signal.hpp"
#include "socket/socket.hpp"

#include <span>

namespace zlink::socket {

errc socket::join(std::string_view group, bool on)
{
    if (mailbox_->stop_taken()) return errc::terminated;
    const socket_traits& has = traits(options_.type);
    if (!has.has_groups || !has.subscribes) return errc::not_supported;
    descriptor_signal signal(*mailbox_);
    if (const errc stopped = process(); stopped != errc::none) return stopped;
    const errc e = pattern_->subscribe(std::as_bytes(std::span(group)), on);
    subscriptions_.note_told();
    return e;
}

result<std::uint32_t> socket::connect_peer(std::string_view endpoint)
{
    if (options_.type != socket_type::peer) return errc::not_supported;
    // There would be no peer before the connection.
    if (options_.connection.immediate) return errc::bad_address;
    if (const errc e = connect(endpoint); e != errc::none) return e;
    return pattern_->last_connected();
}

errc socket::disconnect_peer(std::uint32_t number)
{
    if (mailbox_->stop_taken()) return errc::terminated;
    descriptor_signal signal(*mailbox_);
    signal.changes();
    if (const errc stopped = process(); stopped != errc::none) return stopped;
    const errc e = pattern_->disconnect_peer(number);
    close_given_up();
    return e;
}

result<short> socket::state_of_peer(std::string_view routing_id)
{
    if (mailbox_->stop_taken()) return errc::terminated;
    descriptor_signal signal(*mailbox_);
    if (const errc stopped = process(); stopped != errc::none) return stopped;
    const auto state = pattern_->state_of(routing_id);
    if (!state) return state.error();
    return short((state->can_send ? poll_out : 0) | (state->can_receive ? poll_in : 0));
}

}  // namespace zlink::socket
