// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Which form frames have on a connection, chosen once, after the handshake: ZMTP 2.0 and later, ZMTP 1.0, none (raw), or ZWS (RFC 45).
#pragma once

#include "engine/connection/connection_writer.hpp"
#include "engine/session_options.hpp"
#include "transport/stream.hpp"
#include "wire/inbound.hpp"
#include "zmtp/mechanism/sealing.hpp"
#include "zmtp/peer.hpp"

#include <memory>

namespace zlink::engine {

/// What makes messages of octets. `opens`: what the handshake's mechanism has left for that, or null. May throw std::bad_alloc.
[[nodiscard]] std::unique_ptr<wire::inbound> make_inbound(const session_options& options,
                                                          zmtp::protocol_version version,
                                                          const transport::stream& stream,
                                                          std::unique_ptr<zmtp::opener> opens);

/// What writes messages as octets. `seals`: as above. May throw std::bad_alloc.
[[nodiscard]] connection_writer make_writer(const session_options& options, zmtp::protocol_version version,
                                            const transport::stream& stream, std::unique_ptr<zmtp::sealer> seals);

}  // namespace zlink::engine
