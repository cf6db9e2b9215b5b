// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What holds in every program, whatever it does.
#pragma once

#include "sim/programs/sockets.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace zlink::sim {

/// Reads what a socket's monitor tells, and fails the world where it cannot be: an end of a connection that did not
/// begin, a handshake without a connection, an event behind the last one. Of the thread that has the socket.
class event_watch {
public:
    /// `ends_itself`: the socket ends connections, of which monitors are not told.
    event_watch(const context_handle& in, const socket_handle& of, const std::string& name, bool ends_itself);
    /// What has been told until now.
    void look();
    /// The socket was closed: all is told, and ends with an event that says so.
    void finish();

private:
    void take(unsigned event, int value);

    std::string name_;
    bool ends_itself_;
    socket_handle events_;
    std::set<int> open_;  ///< descriptors of connections
    std::size_t begun_ = 0, shaken_ = 0, ended_ = 0;
    bool stopped_ = false;
};

/// What all sockets of a context have sent was received, waits, or was dropped at a mark. Waits a while for what is
/// under way. No connection has broken, and each peer is a socket of the context.
void require_balance(const context_handle& of);

/// Messages on the way between sockets with marks: no more than all queues take, and the kernel.
class mark_watch {
public:
    /// `queues`: how many there are, `each`: what one of them takes by its two marks. 0: no limit.
    mark_watch(std::size_t queues, std::size_t each, bool kernel_between)
        : most_(queues * each),
          queues_(queues),
          kernel_between_(kernel_between)
    {}
    void sent(std::size_t octets);
    void received(std::size_t octets);

private:
    std::multiset<std::size_t> under_way_;
    std::size_t most_, queues_;
    bool kernel_between_;
};

}  // namespace zlink::sim
