// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Texts for handshake failures.
#include "zmtp/handshake_error.hpp"

namespace zlink::zmtp {

std::string_view to_text(handshake_error error) noexcept
{
    switch (error) {
    case handshake_error::none: return "no error";
    case handshake_error::no_detail: return "handshake broken off";
    case handshake_error::auth: return "authentication refused";
    case handshake_error::no_zap_handler: return "no ZAP handler";
    case handshake_error::http_answer: return "peer answers by HTTP";
    case handshake_error::foreign_record: return "peer speaks TLS";
    case handshake_error::zmtp_unspecified: return "peer does not follow ZMTP";
    case handshake_error::zmtp_unexpected_command: return "unexpected command";
    case handshake_error::zmtp_invalid_sequence: return "command repeated or out of order";
    case handshake_error::zmtp_key_exchange: return "client vouches for other keys";
    case handshake_error::zmtp_malformed_command_unspecified: return "malformed command";
    case handshake_error::zmtp_malformed_command_message: return "frame too long, or too short to be sealed";
    case handshake_error::zmtp_malformed_command_hello: return "malformed HELLO command";
    case handshake_error::zmtp_malformed_command_initiate: return "malformed INITIATE command";
    case handshake_error::zmtp_malformed_command_error: return "malformed ERROR command";
    case handshake_error::zmtp_malformed_command_ready: return "malformed READY command";
    case handshake_error::zmtp_malformed_command_welcome: return "malformed WELCOME command";
    case handshake_error::zmtp_invalid_metadata: return "invalid metadata";
    case handshake_error::zmtp_cryptographic: return "box cannot be opened: wrong key, or altered";
    case handshake_error::zmtp_mechanism_mismatch: return "security mechanisms differ";
    case handshake_error::zap_unspecified: return "ZAP reply without delimiter";
    case handshake_error::zap_malformed_reply: return "malformed ZAP reply";
    case handshake_error::zap_bad_request_id: return "ZAP reply to another request";
    case handshake_error::zap_bad_version: return "ZAP reply of another version";
    case handshake_error::zap_invalid_status_code: return "ZAP reply with an unknown status";
    case handshake_error::zap_invalid_metadata: return "ZAP reply with malformed metadata";
    case handshake_error::carrier_unspecified: return "WebSocket is not agreed on, or its rules are broken";
    }
    return "unknown error";
}

}  // namespace zlink::zmtp
