// Why a handshake failed, in words: the monitor's event turned into cause and cure.
#pragma once

#include "support/socket_monitor.hpp"

#include <string>

namespace zlink::tool {

// Who the peer is to us.
enum class peer_kind {
    stranger,    // we connected to it, and it never had a handshake with us
    acquainted,  // we connected to it, and it had one before
    visitor,     // it connected to us
};

// True for the events that report a failed handshake or, later, a broken protocol. A visitor that only closes the
// connection refused nothing: whoever looks whether a port is open does so.
bool is_refusal(const connection_event& event, peer_kind peer);

// True when trying again can't help: the peers don't fit each other. False when the peer only broke off.
bool is_final(const connection_event& event, peer_kind peer);

// "tcp://HOST:1 refused the handshake: ...; ...", for a socket of the type.
std::string explain_refusal(const connection_event& event, peer_kind peer, int type);

}  // namespace zlink::tool
