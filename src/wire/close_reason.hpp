// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Why this side closes a connection, for peers whose framing has words for that.
#pragma once

#include <cstdint>

namespace zlink::wire {

enum class close_reason : std::uint8_t {
    none,              ///< nothing is said
    finished,          ///< nothing is left to do
    protocol_error,    ///< the peer sends what its protocol does not have
    unsupported_data,  ///< the peer sends a kind of data that messages are never in
    refused,           ///< the peer does not get in
    too_long,          ///< the peer sends more than one message may have
};

}  // namespace zlink::wire
