// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The reasons why a handshake failed. Values from 0x10000000 on are the C API's ZMQ_PROTOCOL_ERROR_* codes, reported by
// ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL; the lower ones belong to the two other events.
#pragma once

#include <cstdint>
#include <string_view>

namespace zlink::zmtp {

enum class handshake_error : std::uint32_t {
    none = 0,
    no_detail = 1,  ///< the peer sent ERROR or closed, or memory ran out: ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL
    /// refused by a ZAP handler, this side's or the peer's: ZMQ_EVENT_HANDSHAKE_FAILED_AUTH, see auth_status()
    auth = 2,
    no_zap_handler = 3,  ///< no handler checks the peer: ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL with EFAULT
    http_answer = 4,     ///< a web server, perhaps only for the moment: NO_DETAIL with EPROTONOSUPPORT
    foreign_record = 5,  ///< a client or server of TLS: the same

    zmtp_unspecified = 0x10000000,
    zmtp_unexpected_command = 0x10000001,
    zmtp_invalid_sequence = 0x10000002,  ///< a command or frame again, or out of order
    zmtp_key_exchange = 0x10000003,      ///< CURVE: a client vouches for other keys than those in use
    zmtp_malformed_command_unspecified = 0x10000011,
    zmtp_malformed_command_message = 0x10000012,  ///< beyond ZMQ_MAXMSGSIZE or 2^63 octets; CURVE: too short
    zmtp_malformed_command_hello = 0x10000013,
    zmtp_malformed_command_initiate = 0x10000014,
    zmtp_malformed_command_error = 0x10000015,
    zmtp_malformed_command_ready = 0x10000016,
    zmtp_malformed_command_welcome = 0x10000017,
    zmtp_invalid_metadata = 0x10000018,  ///< bad properties, or an incompatible socket type
    zmtp_cryptographic = 0x11000001,     ///< a box that does not open: the key is wrong, or the box was altered
    zmtp_mechanism_mismatch = 0x11000002,

    // Mistakes of this side's ZAP handler.
    zap_unspecified = 0x20000000,
    zap_malformed_reply = 0x20000001,
    zap_bad_request_id = 0x20000002,
    zap_bad_version = 0x20000003,
    zap_invalid_status_code = 0x20000004,
    zap_invalid_metadata = 0x20000005,

    carrier_unspecified = 0x30000000,  ///< the WebSocket below ZMTP: not agreed on, or its rules are broken
};

/// True for the values that are ZMQ_PROTOCOL_ERROR_* codes.
[[nodiscard]] constexpr bool is_protocol_error(handshake_error error) noexcept
{
    return static_cast<std::uint32_t>(error) >= 0x10000000;
}

/// One English line for logs.
[[nodiscard]] std::string_view to_text(handshake_error error) noexcept;

}  // namespace zlink::zmtp
