// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Why a handshake failed, in words: the monitor's event turned into cause and cure.
#pragma once

#include "support/socket_monitor.hpp"

#include <string>

#include <zmq.h>

namespace zlink::tool {

// What the peer is to us.
enum class peer_kind {
    unknown,     // we connected to it, and it never had a handshake with us
    acquainted,  // we connected to it, and it had one before
    visitor,     // it connected to us
};

// What the handshake is about on our side.
struct own_side {
    int type;  // ZMQ_PUB and so on
    int mechanism = ZMQ_NULL;
};

// True for the events that report a failed handshake or, later, a broken protocol. A visitor that only closes the
// connection refused nothing: a scan for open ports does so.
bool is_refusal(const connection_event& event, peer_kind peer);

// True when trying again can't help: the peers don't fit each other. False when the peer only broke off.
bool is_final(const connection_event& event, peer_kind peer);

// "tcp://HOST:1 refused the handshake: ...; ...". `words` are the library's, empty where it has none.
std::string explain_refusal(const connection_event& event, peer_kind peer, const own_side& self,
                            const std::string& words);

}  // namespace zlink::tool
