// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The values are those of the C API: ZMQ_PROTOCOL_ERROR_... or an errno.
#include "cli/refusal.hpp"

#include <cerrno>

#include <fmt/format.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

const char* partners(int type)
{
    switch (type) {
    case ZMQ_PUB:
    case ZMQ_XPUB: return "SUB and XSUB";
    case ZMQ_SUB:
    case ZMQ_XSUB: return "PUB and XPUB";
    case ZMQ_PUSH: return "PULL";
    case ZMQ_PULL: return "PUSH";
    case ZMQ_REQ: return "REP and ROUTER";
    case ZMQ_REP: return "REQ and DEALER";
    case ZMQ_DEALER: return "REP, DEALER and ROUTER";
    case ZMQ_ROUTER: return "REQ, DEALER and ROUTER";
    case ZMQ_SERVER: return "CLIENT";
    case ZMQ_CLIENT: return "SERVER";
    case ZMQ_RADIO: return "DISH";
    case ZMQ_DISH: return "RADIO";
    case ZMQ_GATHER: return "SCATTER";
    case ZMQ_SCATTER: return "GATHER";
    case ZMQ_PEER: return "PEER";
    case ZMQ_CHANNEL: return "CHANNEL";
    default: return "PAIR";
    }
}

// What the other side may lack, and what to give here instead.
const char* cause_of_mismatch(int mechanism)
{
    switch (mechanism) {
    case ZMQ_CURVE:
        return "it doesn't use CURVE; switch it on there (in zlink --curve-server, or --curve-server-key), or leave it "
               "out here";
    case ZMQ_PLAIN:
        return "it doesn't use PLAIN; switch it on there (in zlink --plain-server, or --plain-user), or leave it out "
               "here";
    default:
        return "its security mechanism isn't NULL; give --curve-server-key KEY or --plain-user NAME, whichever it "
               "wants, or switch that off on the other side";
    }
}

std::string cause_of_protocol_error(std::uint64_t value, const own_side& self, peer_kind peer)
{
    switch (value) {
    case ZMQ_PROTOCOL_ERROR_ZMTP_INVALID_METADATA:
        return fmt::format(
            "the socket types don't match: {} talks to {}; start the command that fits on the other side",
            socket_type_name(self.type), partners(self.type));
    case ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH: return cause_of_mismatch(self.mechanism);
    case ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC:
    case ZMQ_PROTOCOL_ERROR_ZMTP_KEY_EXCHANGE:
        return peer == peer_kind::visitor
                   ? "what it sent can't be decrypted; check that its --curve-server-key is this server's public key"
                   : "what it sent can't be decrypted; check that --curve-server-key is its public key";
    case ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_MESSAGE:
        return "it sent a message longer than --opt MAXMSGSIZE allows; raise that, or send smaller ones";
    case ZMQ_PROTOCOL_ERROR_ZAP_MALFORMED_REPLY:
    case ZMQ_PROTOCOL_ERROR_ZAP_BAD_REQUEST_ID:
    case ZMQ_PROTOCOL_ERROR_ZAP_BAD_VERSION:
    case ZMQ_PROTOCOL_ERROR_ZAP_INVALID_STATUS_CODE:
    case ZMQ_PROTOCOL_ERROR_ZAP_INVALID_METADATA:
        return fmt::format("the answer about it isn't of ZAP 1.0 (protocol error 0x{:08x}); check the handler", value);
    case ZMQ_PROTOCOL_ERROR_ZMTP_UNSPECIFIED:
        return fmt::format("what it says isn't ZMTP (protocol error 0x{:08x}); check that a ZeroMQ socket is on the "
                           "other side; one of ZeroMQ 2 (ZMTP 1.0) is let in by --opt OLDEST_ZMTP=1",
                           value);
    default:
        return fmt::format("what it says isn't ZMTP (protocol error 0x{:08x}); check that a ZeroMQ socket is on the "
                           "other side",
                           value);
    }
}

std::string cause_of_authentication(const connection_event& event, const own_side& self, peer_kind peer)
{
    const std::uint64_t status = event.value;
    if (peer == peer_kind::visitor) {
        return fmt::format("its credentials aren't allowed (status {}); the file of --auth says whose are", status);
    }
    if (status != 400) {
        return fmt::format("it could not check our credentials (status {}); look at its list of allowed peers", status);
    }
    const char* const what = self.mechanism == ZMQ_CURVE   ? "the key of --curve-secret"
                             : self.mechanism == ZMQ_PLAIN ? "--plain-user and --plain-password"
                                                           : "this address, or a peer without credentials";
    const bool tls = event.remote.starts_with("tls:") || event.remote.starts_with("wss:");
    return fmt::format("it refused authentication (status 400); its list of allowed peers must have {}{}", what,
                       tls ? ", and the certificate of --tls-cert if it asks for one" : "");
}

std::string cause_of_break_off(std::uint64_t value, const own_side& self, peer_kind peer)
{
    switch (value) {
    // ZMQ_HANDSHAKE_IVL is over; the value is libzmq's.
    case EAGAIN: return "it didn't answer in time; check that a ZeroMQ socket is on the other side";
    case EPROTONOSUPPORT: return "it answers by HTTP: a web server is there; check the port";
    case EPROTO:
        return fmt::format("it sent an error: the socket types may not match ({} talks to {}), or it asks for other "
                           "security",
                           socket_type_name(self.type), partners(self.type));
    default: break;
    }
    if (self.mechanism == ZMQ_CURVE && peer != peer_kind::visitor) {
        return "it closed the connection; check that it is a CURVE server, that --curve-server-key is its public key, "
               "and that it allows ours";
    }
    if (self.mechanism == ZMQ_PLAIN && peer != peer_kind::visitor) {
        return "it closed the connection; check that it is a PLAIN server and has a list of users";
    }
    return "it closed the connection; check that a ZeroMQ socket is on the other side, with the same security, and "
           "that the server behind a forwarded port runs";
}

}  // namespace

bool is_refusal(const connection_event& event, peer_kind peer)
{
    switch (event.kind) {
    case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
    case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: return true;
    case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
        return peer != peer_kind::visitor || event.value == EPROTO || event.value == EPROTONOSUPPORT ||
               event.value == EACCES;
    default: return false;
    }
}

bool is_final(const connection_event& event, peer_kind peer)
{
    if (event.kind == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL || event.kind == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH) {
        return true;  // zlink doesn't connect there again
    }
    const bool only_broke_off = event.kind == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL && event.value != EPROTO &&
                                event.value != EPROTONOSUPPORT && event.value != EAGAIN && event.value != EACCES;
    return peer == peer_kind::unknown && !only_broke_off;
}

std::string explain_refusal(const connection_event& event, peer_kind peer, const own_side& self,
                            const std::string& words)
{
    const std::string cause =
        !words.empty()                                      ? words
        : event.kind == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL ? cause_of_protocol_error(event.value, self, peer)
        : event.kind == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH     ? cause_of_authentication(event, self, peer)
                                                            : cause_of_break_off(event.value, self, peer);
    switch (peer) {
    case peer_kind::visitor:
        return fmt::format("refused a peer that came to {}{}{}: {}", event.local, event.remote.empty() ? "" : " from ",
                           event.remote, cause);
    case peer_kind::acquainted: return fmt::format("the connection to {} is over: {}", event.remote, cause);
    case peer_kind::unknown: break;
    }
    return fmt::format("{} refused the handshake: {}", event.remote, cause);
}

}  // namespace zlink::tool
