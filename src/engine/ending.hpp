// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Why a connection ended.
#pragma once

#include <cstdint>

namespace zlink::engine {

enum class ending : std::uint8_t {
    lost,              ///< closed by the peer, or an error of the network
    handshake_failed,  ///< lost (or refused by ERROR) before traffic
    refused,           ///< by a ZAP handler, this side's or the peer's, which would refuse it again
    protocol_error,    ///< the peer broke the protocol
    timed_out,         ///< handshake or heartbeat limit
    finished,          ///< closed by this side, and all was written
};

}  // namespace zlink::engine
