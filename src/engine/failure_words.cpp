// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/failure_words.hpp"

#include <cerrno>
#include <cstring>

namespace zlink::engine {

namespace {

using zmtp::handshake_error;

// Behind the text of the error; empty: there is nothing to advise.
std::string_view advice(handshake_error error) noexcept
{
    switch (error) {
    case handshake_error::no_zap_handler:
        return "bind one to the name zeromq.zap.01, or set neither a domain nor ZMQ_ZAP_ENFORCE_DOMAIN";
    case handshake_error::http_answer: return "a web server is there; check the port";
    case handshake_error::foreign_record: return "use a tls or wss endpoint here, or no TLS on the other side";
    case handshake_error::zmtp_unspecified: return "check that a ZeroMQ socket is on the other side";
    case handshake_error::zmtp_key_exchange:
    case handshake_error::zmtp_cryptographic:
        return "ZMQ_CURVE_SERVERKEY of the client must be the server's public key";
    case handshake_error::zmtp_invalid_metadata: return "check that the types of the two sockets fit each other";
    case handshake_error::zmtp_mechanism_mismatch:
        return "one side uses CURVE or PLAIN, and the other side does not, or both are servers";
    case handshake_error::zap_unspecified:
    case handshake_error::zap_malformed_reply:
    case handshake_error::zap_bad_request_id:
    case handshake_error::zap_bad_version:
    case handshake_error::zap_invalid_status_code:
    case handshake_error::zap_invalid_metadata: return "the ZAP handler of this process is wrong";
    default: return {};
    }
}

bool is_printable(char c) noexcept
{
    return c >= ' ' && c <= '~';
}

}  // namespace

std::string_view words_of(errc error) noexcept
{
    return std::strerror(to_errno(error));
}

std::string_view words_of_accept(errc error) noexcept
{
    switch (to_errno(error)) {
    case EMFILE:
        return "Too many open files: the connection waits; close some, or raise the limit of this process (ulimit -n)";
    case ENFILE: return "Too many open files in the system: the connection waits; raise fs.file-max";
    case EACCES: return "the peer is not let in: no filter of this socket allows its address, user, group or process";
    default: return words_of(error);
    }
}

std::string words_of_handshake(handshake_error error, std::string_view detail)
{
    std::string words(to_text(error));
    if (error == handshake_error::no_detail) words = "the peer refused the handshake";
    if (!detail.empty() && detail != to_text(error)) {
        words += ": ";
        for (const char c : detail) words += is_printable(c) ? c : '?';
    }
    if (const std::string_view more = advice(error); !more.empty()) words.append("; ").append(more);
    return words;
}

std::string_view words_of_refusal(int status) noexcept
{
    switch (status) {
    case 300:
        return "authentication failed with status 300: the ZAP handler has a temporary problem; it is tried again";
    case 400:
        return "authentication refused with status 400: the ZAP handler does not allow these credentials, or this "
               "address";
    case 500: return "authentication failed with status 500: the ZAP handler has an error";
    default: return "authentication refused";
    }
}

std::string_view words_of_early_close(zmtp::mechanism_kind mechanism, bool as_server) noexcept
{
    if (!as_server && mechanism == zmtp::mechanism_kind::curve) {
        return "the peer closed during the handshake; check that it is a CURVE server, that ZMQ_CURVE_SERVERKEY is its "
               "public key, and that it allows ours";
    }
    if (!as_server && mechanism == zmtp::mechanism_kind::plain)
        return "the peer closed during the handshake; check that it is a PLAIN server and knows ZMQ_PLAIN_USERNAME";
    return "the peer closed during the handshake; check that a ZeroMQ socket is there, with the same security";
}

}  // namespace zlink::engine
