// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The reasons why a connection of WebSocket is closed (RFC 6455 section 7.4), as a close frame carries them.
#pragma once

#include <cstdint>
#include <string_view>

namespace zlink::zws {

enum class close_code : std::uint16_t {
    none = 0,  ///< no frame
    normal = 1000,
    protocol_error = 1002,
    unsupported_data = 1003,  ///< text
    policy_violation = 1008,  ///< the peer is not admitted
    too_big = 1009,
};

/// The mistake of the peer, in words; empty: not a mistake, or one that is known otherwise.
[[nodiscard]] constexpr std::string_view mistake(close_code why) noexcept
{
    switch (why) {
    case close_code::protocol_error: return "what the peer sends is not ZMTP over WebSocket (closed with 1002)";
    case close_code::unsupported_data: return "the peer sends text instead of messages (closed with 1003)";
    case close_code::too_big: return "the peer sends more than one message may have (closed with 1009)";
    default: return {};
    }
}

/// Whether a frame may have the code: those that are defined for that, and those of libraries and applications.
[[nodiscard]] constexpr bool may_be_sent(std::uint16_t code) noexcept
{
    return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
}

}  // namespace zlink::zws
