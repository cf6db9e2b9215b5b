// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ZAP (RFC 27): the questions to the handler, which decides about the peers that may connect, and its answers. Pure:
// frames in, frames out; the engine carries them.
#pragma once

#include "zmtp/handshake_error.hpp"
#include "zmtp/peer.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::zmtp {

/// The question of a mechanism.
struct zap_request {
    std::string_view mechanism;  ///< as in the greeting
    std::vector<std::vector<std::byte>> credentials;
};

/// The further fields of a request, which its sender adds.
struct zap_envelope {
    std::string_view request_id;  ///< comes back with the answer
    std::string_view domain;
    std::string_view address;  ///< of the peer, without a port
    std::span<const std::byte> routing_id;
};

/// The frames of a request, beginning with the empty delimiter. May throw std::bad_alloc.
[[nodiscard]] std::vector<std::vector<std::byte>> zap_request_frames(const zap_request& request,
                                                                     const zap_envelope& envelope);

using zap_frame = std::span<const std::byte>;

/// The frames of a reply, beginning with the empty delimiter; views that are not kept.
struct zap_reply {
    std::span<const zap_frame> frames;
    std::string_view request_id;  ///< of the request it should answer
};

struct zap_answer {
    int status = 0;  ///< 200, 300, 400 or 500
    std::string user_id;
    std::vector<property> metadata;
};

/// A refusal for now; the others are for these credentials (RFC 27).
[[nodiscard]] constexpr bool is_temporary(int status) noexcept
{
    return status == 300;
}

/// none and the answer, or one of the zap_... errors, with the values and in the order of libzmq. May throw
/// std::bad_alloc.
[[nodiscard]] handshake_error parse_zap_reply(const zap_reply& reply, zap_answer& out);

}  // namespace zlink::zmtp
