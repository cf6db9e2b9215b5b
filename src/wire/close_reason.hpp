// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The reasons why this side closes a connection, for a peer if its framing has words for that.
#pragma once

#include <cstdint>

namespace zlink::wire {

enum class close_reason : std::uint8_t {
    none,              ///< no reason is told
    finished,          ///< nothing is left to do
    protocol_error,    ///< the peer sends octets that its protocol does not have
    unsupported_data,  ///< the peer sends a kind of data that messages are never in
    refused,           ///< the peer is not admitted
    too_long,          ///< the peer sends more than one message may have
};

}  // namespace zlink::wire
