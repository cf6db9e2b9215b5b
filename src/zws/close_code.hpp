// Why a connection of WebSocket is closed (RFC 6455 section 7.4): what a close frame says.
#pragma once

#include <cstdint>

namespace zlink::zws {

enum class close_code : std::uint16_t {
    none = 0,  ///< no frame
    normal = 1000,
    protocol_error = 1002,
    unsupported_data = 1003,  ///< text
    policy_violation = 1008,  ///< who does not get in
    too_big = 1009,
};

/// Whether a frame may have it: those that are defined for that, and those of libraries and applications.
[[nodiscard]] constexpr bool may_be_sent(std::uint16_t code) noexcept
{
    return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
}

}  // namespace zlink::zws
