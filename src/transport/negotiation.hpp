// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The terms that a stream agrees on with its peer for the octets that follow, in place of a greeting of ZMTP. The
// stream's own handshake is over then; those octets are frames of the framing that was agreed on.
#pragma once

#include <cstdint>

namespace zlink::transport {

struct negotiation {
    enum class state : std::uint8_t { in_progress, agreed, failed };

    state now = state::in_progress;
    // Once agreed
    bool client = false;  ///< this side has made the connection
    /// a handshake of the security mechanism follows; otherwise both sides send their routing id
    bool mechanism = false;
};

}  // namespace zlink::transport
