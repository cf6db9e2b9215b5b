// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What zmq_msg_gets() tells of the peer that a message came from.
#pragma once

#include "message/metadata.hpp"
#include "transport/stream.hpp"
#include "zmtp/peer.hpp"

namespace zlink::engine {

/// Of two properties of one name, the first counts: those of the stream come first, then those of the ZAP handler, then
/// those of the peer. One reference; null when memory is short.
[[nodiscard]] message::metadata* properties_of(const zmtp::remote_peer& peer, const transport::stream& from) noexcept;

}  // namespace zlink::engine
