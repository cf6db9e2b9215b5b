// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The properties of the peer that a message came from, as zmq_msg_gets() returns them.
#pragma once

#include "message/metadata.hpp"
#include "transport/stream.hpp"
#include "zmtp/peer.hpp"

#include <string_view>

namespace zlink::engine {

/// If two properties have one name, the first counts. The order is: those of the stream, those of the ZAP handler,
/// those of the peer. One reference; null when memory is short.
[[nodiscard]] message::metadata* properties_of(const zmtp::remote_peer& peer, const transport::stream& from) noexcept;

/// That authentication gave the peer; empty: none.
[[nodiscard]] std::string_view user_id_of(const zmtp::remote_peer& peer) noexcept;

}  // namespace zlink::engine
