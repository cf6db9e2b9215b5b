// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The options that patterns use; see man zmq_setsockopt.
#pragma once

#include "pipe/drop_rule.hpp"

#include <optional>
#include <string>

namespace zlink::pattern {

/// Fields are named after their option, in lower case. The socket keeps a set and passes it on after every change.
struct pattern_options {
    bool invert_matching = false;
    std::string disconnect_message;  ///< given to the socket itself when a peer goes; empty: none
    /// A message for a full queue; none: as the type does, and the options below say. A queue that drops its oldest has
    /// room always; one that could (it was made before the option was set) drops the newest.
    std::optional<pipe::when_full> on_full;

    // REQ, DEALER, ROUTER, REP, STREAM
    bool req_relaxed = false;
    bool req_correlate = false;
    bool probe_router = false;
    bool router_mandatory = false;
    bool router_handover = false;
    bool router_raw = false;
    int router_notify = 0;  ///< ZMQ_NOTIFY_CONNECT (1) | ZMQ_NOTIFY_DISCONNECT (2)
    bool stream_notify = true;

    // PUB, XPUB, XSUB
    bool xpub_verbose = false;   ///< pass duplicate subscriptions up
    bool xpub_verboser = false;  ///< pass duplicate unsubscriptions up; never without xpub_verbose
    bool xpub_nodrop = false;
    bool xpub_manual = false;
    bool xpub_manual_last_value = false;  ///< never without xpub_manual
    std::string xpub_welcome_msg;         ///< empty: none
    bool only_first_subscribe = false;
    bool xsub_verbose_unsubscribe = false;  ///< tell publishers of every cancellation

    [[nodiscard]] bool drops_when_full() const noexcept { return on_full && *on_full != pipe::when_full::block; }
    /// Of types that drop messages unless this is wanted: `otherwise` is what another option says.
    [[nodiscard]] bool waits_when_full(bool otherwise) const noexcept
    {
        return on_full ? *on_full == pipe::when_full::block : otherwise;
    }
};

}  // namespace zlink::pattern
