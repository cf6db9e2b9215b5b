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
    default: return "PAIR";
    }
}

std::string cause_of_protocol_error(std::uint64_t value, int type)
{
    switch (value) {
    case ZMQ_PROTOCOL_ERROR_ZMTP_INVALID_METADATA:
        return fmt::format(
            "the socket types don't match: {} talks to {}; start the command that fits on the other side",
            socket_type_name(type), partners(type));
    case ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH:
        return "its security mechanism isn't NULL; zlink has no encryption or authentication yet, so it has to be "
               "switched off on the other side";
    case ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_MESSAGE:
        return "it sent a message longer than --opt MAXMSGSIZE allows; raise that, or send smaller ones";
    default:
        return fmt::format("what it says isn't ZMTP (protocol error 0x{:08x}); check that a ZeroMQ socket is on the "
                           "other side",
                           value);
    }
}

std::string cause_of_break_off(std::uint64_t value, int type)
{
    switch (value) {
    // ZMQ_HANDSHAKE_IVL is over; the value is libzmq's.
    case EAGAIN: return "it didn't answer in time; check that a ZeroMQ socket is on the other side";
    case EPROTO:
        return fmt::format("it sent an error: the socket types may not match ({} talks to {}), or it asks for "
                           "security, which zlink doesn't have yet",
                           socket_type_name(type), partners(type));
    default:
        return "it closed the connection; check that a ZeroMQ socket is on the other side and that the server behind "
               "a forwarded port runs";
    }
}

}  // namespace

bool is_refusal(const connection_event& event, peer_kind peer)
{
    switch (event.kind) {
    case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
    case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: return true;
    case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL: return peer != peer_kind::visitor || event.value == EPROTO;
    default: return false;
    }
}

bool is_final(const connection_event& event, peer_kind peer)
{
    if (event.kind == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL) {
        return true;  // zlink doesn't connect there again
    }
    const bool only_broke_off =
        event.kind == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL && event.value != EPROTO && event.value != EAGAIN;
    return peer == peer_kind::stranger && !only_broke_off;
}

std::string explain_refusal(const connection_event& event, peer_kind peer, int type)
{
    const std::string cause =
        event.kind == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL ? cause_of_protocol_error(event.value, type)
        : event.kind == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH
            ? fmt::format("it refused authentication (status {}), which zlink doesn't have yet", event.value)
            : cause_of_break_off(event.value, type);
    switch (peer) {
    case peer_kind::visitor:
        return fmt::format("refused a peer that came to {}{}{}: {}", event.local, event.remote.empty() ? "" : " from ",
                           event.remote, cause);
    case peer_kind::acquainted: return fmt::format("the connection to {} is over: {}", event.remote, cause);
    case peer_kind::stranger: break;
    }
    return fmt::format("{} refused the handshake: {}", event.remote, cause);
}

}  // namespace zlink::tool
