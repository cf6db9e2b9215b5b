// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The part of a mechanism that has the peer checked by the ZAP handler.
#pragma once

#include "zmtp/mechanism/mechanism.hpp"

#include <optional>

namespace zlink::zmtp {

class zap_client {
public:
    /// The mechanism waits from now on.
    void ask(zap_request request) { question_ = std::move(request); }

    [[nodiscard]] bool waiting() const noexcept { return question_.has_value(); }
    [[nodiscard]] const zap_request* question() const noexcept { return question_ ? &*question_ : nullptr; }

    /// Takes the answer; the mechanism waits no longer. If the peer is admitted, the returned error is none. User id
    /// and metadata of the answer are then the first properties of `peer`. `unchecked`: the peer is admitted if the
    /// context has no handler. May throw std::bad_alloc.
    [[nodiscard]] mechanism_failure take(const mechanism_event& event, bool unchecked, remote_peer& peer);

private:
    std::optional<zap_request> question_;
};

/// A refusal that the peer should be told of (RFC 26): 400 and 500, but not 300, after which it may come again.
[[nodiscard]] inline bool is_told(const mechanism_failure& failure) noexcept
{
    return failure.error == handshake_error::auth && !is_temporary(failure.auth_status);
}

}  // namespace zlink::zmtp
