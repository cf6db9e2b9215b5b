// Why a handshake failed. Values from 0x10000000 on are the C API's ZMQ_PROTOCOL_ERROR_* codes, reported by
// ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL; the lower ones belong to the two other events.
#pragma once

#include <cstdint>
#include <string_view>

namespace zlink::zmtp {

enum class handshake_error : std::uint32_t {
    none = 0,
    no_detail = 1,  ///< the peer sent ERROR or closed, or memory ran out: ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL
    auth = 2,       ///< ERROR with a ZAP status 300, 400 or 500: ZMQ_EVENT_HANDSHAKE_FAILED_AUTH, see auth_status()

    zmtp_unspecified = 0x10000000,
    zmtp_unexpected_command = 0x10000001,
    zmtp_malformed_command_unspecified = 0x10000011,
    zmtp_malformed_command_message = 0x10000012,  ///< a frame beyond ZMQ_MAXMSGSIZE or of 2^63 octets, in traffic
    zmtp_malformed_command_error = 0x10000015,
    zmtp_malformed_command_ready = 0x10000016,
    zmtp_invalid_metadata = 0x10000018,  ///< bad properties, or an incompatible socket type
    zmtp_mechanism_mismatch = 0x11000002,
};

/// True for the values that are ZMQ_PROTOCOL_ERROR_* codes.
[[nodiscard]] constexpr bool is_protocol_error(handshake_error error) noexcept
{
    return static_cast<std::uint32_t>(error) >= 0x10000000;
}

/// One English line for logs.
[[nodiscard]] std::string_view to_text(handshake_error error) noexcept;

}  // namespace zlink::zmtp
